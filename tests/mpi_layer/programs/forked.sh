#!/bin/sh
# forked.sh <lintel-run> <program>: the job must succeed, each rank must write its line once, and
# standard error must say why the calls of the children were refused.
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
lines=$("$1" -n 2 "$2" 2>"$errors" | sort)
echo "$lines"
cat "$errors"
[ "$lines" = "rank 0: ok
rank 1: ok" ] || exit 1
for function in MPI_Barrier MPI_Recv MPI_Finalize; do
  [ "$(grep -c "^lintel: $function was called in a child of fork(); expected: calls of MPI only in \
the process that called MPI_Init$" "$errors")" -eq 2 ] || { echo "$function"; exit 1; }
done
