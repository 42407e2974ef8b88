#!/usr/bin/env bash
# run.sh KIND RANKS PMIX PROGRAM SOURCE LINTEL_RUN: PROGRAM checks its result against a serial run.
# Its output with RANKS ranks under a launcher must be the same as alone. KIND and PMIX are those of
# tests/mpi_layer/bootstrap/launcher.sh. With openmpi and mpich, SOURCE is compiled with that MPI,
# and must print the same as PROGRAM. Exit code 77: cannot be tested here, with the reason.
# shellcheck disable=SC1091,SC2034,SC2154
set -euo pipefail
kind=$1 ranks=$2 pmix=$3 program=$4 source=$5
lintel_run=$6
. "$(dirname "$0")/../mpi_layer/bootstrap/launcher.sh"

expected=$("$program")
[[ $expected =~ ^[^$'\n']*:\ checksum\ [0-9a-f]{16}$ ]] || {
  echo "alone it says: $expected"
  exit 1
}
if [ "$kind" = openmpi ] || [ "$kind" = mpich ]; then
  need "mpicc.$kind" "lib$kind-dev"
  "mpicc.$kind" -O2 -o "$folder/program" "$source"
  program=$folder/program
fi
said=$(timeout -k 5 100 "${command[@]}" "$program" < /dev/null)
echo "$said"
[ "$said" = "$expected" ] || {
  echo "alone it says: $expected"
  exit 1
}
