#!/usr/bin/env bash
# abort.sh LINTEL_MPIRUN RANKS PROGRAM: a program of which one rank calls MPI_Abort with 7 ends
# promptly under lintel-mpirun, with that exit code, and leaves nothing behind. Exit code 77: cannot
# be tested here, with the reason.
# shellcheck disable=SC1091,SC2034,SC2154
set -euo pipefail
lintel_mpirun=$1 ranks=$2 kind=openmpi pmix=ON
program=$3
. "$(dirname "$0")/../mpi_layer/bootstrap/launcher.sh"
command[0]=$lintel_mpirun

cp "$program" "$folder/aborting" # its processes are known by this name

# abort_once: leaves the exit code in `code` (124 and 137 are those of `timeout`) and the output in
# `said`.
abort_once() {
  code=0
  said=$(timeout -k 5 30 "${command[@]}" "$folder/aborting" 2>&1 < /dev/null) || code=$?
  printf '%s\nexit code %d\n' "$said" "$code"
}
still_there() { pgrep -af "^$folder/aborting" || true; }

abort_once
if [ "$code" = 124 ] || [ "$code" = 137 ]; then
  known="as that of 4.1.4 does now and then when a job aborts"
  echo "mpirun has not ended within 30 s, $known: once more"
  left=$(still_there | cut -d ' ' -f 1)
  # shellcheck disable=SC2086  # one process each
  [ -z "$left" ] || kill -9 $left || true
  abort_once
fi
[ "$code" = 7 ] || {
  echo "expected exit code 7"
  exit 1
}
[[ $said != *"never sent"* ]] || exit 1
for ((tenths = 0; tenths < 50; ++tenths)); do
  left=$(still_there)
  [ -n "$left" ] || exit 0
  sleep 0.1
done
printf 'still there, 5 s after the end of mpirun:\n%s\n' "$left"
exit 1
