#!/usr/bin/env bash
# run.sh KIND RANKS PMIX PROGRAM SOURCE LINTEL_RUN: PROGRAM, which has checked its result against a
# serial run, says the same when a launcher starts it with RANKS ranks as it says alone. KIND and
# PMIX are those of tests/mpi_layer/bootstrap/launcher.sh; with openmpi and mpich it is SOURCE, made
# with that MPI's compiler, which must say the same as PROGRAM. Exit code 77: cannot be tried here,
# with the reason.
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
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  "mpicc.$kind" -O2 -o "$folder/program" "$source"
  program=$folder/program
fi
said=$(timeout -k 5 100 "${command[@]}" "$program" < /dev/null)
echo "$said"
[ "$said" = "$expected" ] || {
  echo "alone it says: $expected"
  exit 1
}
