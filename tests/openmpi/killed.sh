#!/usr/bin/env bash
# killed.sh LINTEL_MPIRUN PROGRAM: a rank that gets SEGV, ABRT, INT or TERM ends by that signal, and
# mpirun reports it, over the default network and over libfabric, whose providers have signal
# handlers of their own. Exit code 77: cannot be tested here, with the reason.
# shellcheck disable=SC1091,SC2034,SC2154
set -euo pipefail
lintel_mpirun=$1 ranks=2 kind=openmpi pmix=ON
program=$2
. "$(dirname "$0")/../mpi_layer/bootstrap/launcher.sh"
command[0]=$lintel_mpirun

ulimit -c 0
for provider in direct net; do
  export LINTEL_PROVIDER=$provider
  for signal in SEGV ABRT INT TERM; do
    number=$(kill -l "$signal")
    code=0
    said=$(timeout -k 5 30 "${command[@]}" "$program" "$number" 2>&1 < /dev/null) || code=$?
    # mpirun breaks its sentences into lines wherever they get too long
    words=$(tr -s '[:space:]' ' ' <<< "$said")
    if [ "$code" != $((128 + number)) ] || [[ $words != *"exited on signal $number "* ]]; then
      printf '%s, %s: exit code %d, expected %d, and\n%s\n' "$provider" "$signal" "$code" \
        $((128 + number)) "$said"
      exit 1
    fi
  done
done
