#!/bin/sh
# limits.sh <lintel-run> <program>: a job whose ranks differ in what credit is derived from does not start, and says why.
errors=$("$1" -n 2 sh -c '[ "$PMI_RANK" = 0 ] || export LINTEL_MPI_UNEXPECTED=32M; exec "$0"' "$2" 2>&1)
code=$?
echo "$errors"
[ "$code" -eq 1 ] || { echo "exit code $code and not 1"; exit 1; }
case $errors in
  *"MPI_Init: rank 1 has LINTEL_MPI_UNEXPECTED=33554432"*"expected the same in all processes of a job"*) exit 0 ;;
  *) exit 1 ;;
esac
