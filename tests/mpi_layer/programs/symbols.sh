#!/bin/sh
# symbols.sh <liblintel_mpi.so>: it exports MPI_ names, each with its PMPI_ name, and nothing else.
# After link-time optimisation the MPI_ names are no longer weak. In a shared library this makes no
# difference, because a program's own definitions come first (MpiPrograms.profiling).
set -e
symbols=$(nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $2, $3 }' | grep -v '^A ')
wrong=$(echo "$symbols" | grep -vE '^([WT] MPI_|T PMPI_)' || true)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
[ "$(echo "$symbols" | sed -n 's/^. MPI_//p')" = "$(echo "$symbols" | sed -n 's/^. PMPI_//p')" ]
