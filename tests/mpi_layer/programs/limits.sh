#!/bin/sh
# limits.sh <lintel-run> <program>: a job whose ranks differ in settings that must agree does not
# start, and reports why.
# refused <setting of rank 1> <message>
refused() {
  errors=$("$lintel_run" -n 2 sh -c '[ "$PMI_RANK" = 0 ] || export "$1"; exec "$0"' \
    "$program" "$1" 2>&1)
  code=$?
  echo "$errors"
  [ "$code" -eq 1 ] || { echo "exit code $code and not 1"; exit 1; }
  case $errors in
    *"$2"*) ;;
    *) echo "expected: $2"; exit 1 ;;
  esac
}
lintel_run=$1 program=$2
unset LINTEL_PROVIDER
refused LINTEL_MPI_UNEXPECTED=32M 'MPI_Init: rank 1 has LINTEL_MPI_UNEXPECTED=33554432'
refused LINTEL_MPI_UNEXPECTED=32M 'expected the same in all processes of a job'
differ='rank 1 has provider tcp;ofi_rxm, rank 0 has provider direct'
refused 'LINTEL_PROVIDER=tcp;ofi_rxm' \
  "MPI_Init: $differ; expected one provider in all processes of a job (LINTEL_PROVIDER)"
