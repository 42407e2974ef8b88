#!/bin/sh
# removed.sh <folder of the wrappers> <lintel-run> <program in C>: a source with the names of MPI-1
# compiles with -DLINTEL_MPI_1, as C of several versions and as C++, and runs. Without it, the
# compiler reports what was removed and what to do.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for standard in gnu89 c99 gnu17; do
  "$1/lintel-mpicc" -std=$standard -Wall -Wextra -Werror -DLINTEL_MPI_1 -o "$work/in_c" "$3"
  "$2" -n 2 "$work/in_c"
done
"$1/lintel-mpicxx" -Wall -Wextra -Werror -DLINTEL_MPI_1 -x c++ -o "$work/in_cxx" "$3"
"$2" -n 2 "$work/in_cxx"
sed 's/^#include <mpi.h>/#include <mpi_removed.h>/' "$3" > "$work/included.c"
"$1/lintel-mpicc" -o "$work/included" "$work/included.c"
"$2" -n 2 "$work/included"

if "$1/lintel-mpicc" -fsyntax-only "$3" 2> "$work/said"; then
  echo "compiled without LINTEL_MPI_1"
  exit 1
fi
for name in Address Errhandler_create Errhandler_get Errhandler_set Type_extent Type_hindexed \
  Type_hvector Type_lb Type_struct Type_ub UB; do
  removed="MPI_$name was removed from MPI in 3.0"
  grep -q "$removed. Call MPI_.*, or compile with -DLINTEL_MPI_1, for mpi.h to have it" \
    "$work/said" || {
    cat "$work/said"
    echo "no sentence for MPI_$name"
    exit 1
  }
done
