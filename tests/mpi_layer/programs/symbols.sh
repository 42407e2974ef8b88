#!/bin/sh
# symbols.sh <liblintel_mpi.so>: it shows MPI_ names, all of them weak, and PMPI_ names, and nothing else.
set -e
symbols=$(nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $2, $3 }' | grep -v '^A ')
wrong=$(echo "$symbols" | grep -vE '^(W MPI_|T PMPI_)' || true)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
[ "$(echo "$symbols" | grep -c '^W ')" -eq "$(echo "$symbols" | grep -c '^T ')" ]
