#!/bin/sh
# symbols.sh <liblintel_mpi.so>: it shows MPI_ names, each with its PMPI_ name, and nothing else.
# Optimised at link time the weak MPI_ names are no longer marked as such, which is the same in a
# shared library: a program's own come first. (MpiPrograms.profiling)
set -e
symbols=$(nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $2, $3 }' | grep -v '^A ')
wrong=$(echo "$symbols" | grep -vE '^([WT] MPI_|T PMPI_)' || true)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
[ "$(echo "$symbols" | sed -n 's/^. MPI_//p')" = "$(echo "$symbols" | sed -n 's/^. PMPI_//p')" ]
