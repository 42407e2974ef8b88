#!/bin/sh
# wrappers.sh <folder> <lintel-run> <program in C>: lintel-mpicc and lintel-mpicxx make programs
# that run, in one step and in two.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1/lintel-mpicc" -O1 -o "$work/in_one" "$3"
"$2" -n 2 "$work/in_one"
"$1/lintel-mpicc" -c -o "$work/ring.o" "$3"
"$1/lintel-mpicc" -o "$work/in_two" "$work/ring.o"
"$2" -n 2 "$work/in_two"
printf \
  '#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n' \
  > "$work/program.cpp"
"$1/lintel-mpicxx" -o "$work/in_cxx" "$work/program.cpp"
"$2" -n 2 "$work/in_cxx"
case $("$1/lintel-mpicc" -show -c x.c) in
  *-llintel_mpi*) exit 1 ;;
  *-I*) exit 0 ;;
  *) exit 1 ;;
esac
