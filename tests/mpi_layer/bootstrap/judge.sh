# Included by launch.sh and slurm.sh, which define ranks, and run_ranks for "check" and "abort", of at most half a minute each: what is expected of both.
# shellcheck shell=bash disable=SC2154

said=$(run_ranks check)
wanted=$(for ((rank = 0; rank < ranks; ++rank)); do echo "rank $rank of $ranks: ok"; done | sort)
if [ "$(sort <<< "$said")" != "$wanted" ]; then
  printf 'expected, in any order:\n%s\nand it said:\n%s\n' "$wanted" "$said"
  exit 1
fi

[ "$ranks" -gt 1 ] || exit 0
# Which exit code a launcher makes of an abort, and whether it passes on what was said last, is its own affair; that all ends, and not as a success, is not.
code=0
said=$(run_ranks abort 2>&1) || code=$?
if [ $code -eq 0 ] || [ $code -eq 124 ]; then
  printf 'the aborted job ended with exit code %d (124: it was still there after half a minute):\n%s\n' "$code" "$said"
  exit 1
fi
