#!/usr/bin/env bash
# launch.sh KIND PROGRAM RANKS PMIX: tests the world that PROGRAM opens when a launcher starts it,
# and the end of a job that a rank aborts. KIND and PMIX are launcher.sh's. Exit code 77: cannot be
# tested here, with the reason.
# shellcheck disable=SC1091,SC2034,SC2154
set -euo pipefail
kind=$1 program=$2 ranks=$3 pmix=$4
. "$(dirname "$0")/launcher.sh"

# run_ranks check|abort
run_ranks() { timeout -k 5 30 "${command[@]}" "$program" "$1" "$ranks" "$launcher" < /dev/null; }

said=$(run_ranks check)
wanted=$(for ((rank = 0; rank < ranks; ++rank)); do echo "rank $rank of $ranks: ok"; done | sort)
if [ "$(sort <<< "$said")" != "$wanted" ]; then
  printf 'expected, in any order:\n%s\nand it said:\n%s\n' "$wanted" "$said"
  exit 1
fi

[ "$ranks" -gt 1 ] || exit 0
# The launcher decides which exit code an abort gives and whether it passes on the last output. But
# all processes must end, and the job must not succeed.
code=0
said=$(run_ranks abort 2>&1) || code=$?
if [ $code -eq 0 ] || [ $code -eq 124 ]; then
  printf \
    'the aborted job ended with exit code %d (124: it was still there after half a minute):\n%s\n' \
    "$code" "$said"
  exit 1
fi
