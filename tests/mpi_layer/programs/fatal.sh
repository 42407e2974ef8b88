#!/bin/sh
# fatal.sh <lintel-run> <program>: the job must end with exit code 1, and standard error must name
# the function and the error.
errors=$("$1" -n 2 "$2" 2>&1)
code=$?
echo "$errors"
[ "$code" -eq 1 ] || { echo "exit code $code and not 1"; exit 1; }
case $errors in
  *"MPI_Send on MPI_COMM_WORLD: MPI_ERR_RANK"*) exit 0 ;;
  *) exit 1 ;;
esac
