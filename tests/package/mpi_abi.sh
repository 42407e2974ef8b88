#!/usr/bin/env bash
# mpi_abi.sh <prefix> <libdir> <standard_abi.tsv> <program.c> <cc>: libmpi_abi.so.1 is an MPI for
# programs of the standard ABI, and reports functions that it does not provide.
set -euo pipefail
prefix=$1 libdir=$2 table=$3 program=$4 cc=$5
library=$prefix/$libdir/libmpi_abi.so.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LINTEL_INTERFACE=lo

fail() { echo "$*"; exit 1; }

# Every function of the ABI, by its MPI_ and its PMPI_ name, and nothing else. Whether the first is
# marked weak does not matter in a shared library.
readelf -d "$library" | grep -q 'SONAME.*\[libmpi_abi\.so\.1\]' \
  || fail "its soname is not libmpi_abi.so.1"
grep '^MPI_Abi_get_fortran_booleans ' "$table" | tr -s ' ' '\n' | grep . | sort -u > functions
[ "$(wc -l < functions)" -gt 600 ] || fail "the table has no list of functions"
sed 'p; s/^/P/' functions | sort -u > expected
nm -D --defined-only "$library" | awk '$2 == "T" || $2 == "W" { print $3; next } { print $2, $3 }' \
  | sort > shown
diff expected shown || fail "libmpi_abi.so.1 shows other functions than the standard ABI has"

# build <program>: as with any library of the ABI.
build() {
  "$cc" -I"$prefix/include/lintel/mpi" -o "$1" "$1.c" -L"$prefix/$libdir" -lmpi_abi \
    -Wl,-rpath,"$prefix/$libdir"
}
cp "$program" sum.c
build sum
readelf -d sum | grep -q 'NEEDED.*libmpi_abi\.so\.1' \
  || fail "a program does not ask for libmpi_abi.so.1"
readelf -d sum | grep -q 'NEEDED.*liblintel_mpi' && fail "a program asks for a second library"
"$prefix/bin/lintel-run" -n 3 ./sum

# A function that is not provided: an ordinary error, with its name.
cat > unsupported.c <<'C'
#define LINTEL_MPI_UNDECLARED
#include <mpi.h>
#include <string.h>
int MPI_Open_port(MPI_Info info, char* port_name);
int PMPI_Win_fence(int assert, void* win);
int MPI_T_init_thread(int required, int* provided);
void* MPI_Win_fromint(int win);
static int seen = 0;
static void note(MPI_Comm* comm, int* code, ...) { seen = *comm == MPI_COMM_WORLD ? *code : -1; }
int main(int argc, char** argv) {
  char port[MPI_MAX_PORT_NAME];
  int provided, error_class = 0;
  MPI_Errhandler handler;
  /* before MPI_Init, too */
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS) return 11;
  MPI_Init(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "fatal") == 0) return MPI_Open_port(MPI_INFO_NULL, port), 12;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Open_port(MPI_INFO_NULL, port), &error_class);
  if (error_class != MPI_ERR_UNSUPPORTED_OPERATION) return 13;
  if (MPI_Open_port(MPI_INFO_NULL, port) != MPI_ERR_UNSUPPORTED_OPERATION) return 14;
  if (MPI_Win_fromint(0) != 0) return 15;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  if (PMPI_Win_fence(0, 0) != MPI_ERR_UNSUPPORTED_OPERATION) return 16;
  if (seen != MPI_ERR_UNSUPPORTED_OPERATION) return 16;
  MPI_Finalize();
  return 0;
}
C
build unsupported
./unsupported 2> errors || fail "exit code $?: an error that is to be returned is not"
[ "$(grep -c 'MPI_Open_port is not provided: MPI_ERR_UNSUPPORTED_OPERATION' errors)" = 1 ] \
  || fail "MPI_Open_port is not named once: $(cat errors)"
grep -q 'MPI_Win_fence is not provided' errors || fail "MPI_Win_fence is not named: $(cat errors)"
code=0
./unsupported fatal 2> errors || code=$?
[ "$code" = 1 ] || fail "exit code $code and not 1 where the handler ends the job"
grep -q 'MPI_Open_port on MPI_COMM_WORLD: MPI_ERR_UNSUPPORTED_OPERATION' errors \
  || fail "the end of the job does not name the function: $(cat errors)"
printf 'int MPI_Session_init(void);\nint main(void) { return MPI_Session_init(); }\n' > early.c
build early
./early 2> errors && fail "a function that is not provided returns before MPI_Init"
grep -q 'MPI_Session_init is not provided' errors \
  || fail "before MPI_Init the function is not named: $(cat errors)"

# liblintel_mpi.so has only what mpi.h declares, so programs that need more do not link.
"$cc" -o early early.c -L"$prefix/$libdir" -llintel_mpi 2> /dev/null \
  && fail "liblintel_mpi.so has functions that are not provided"
provided=$(nm -D --defined-only "$prefix/$libdir/liblintel_mpi.so" | grep -c ' W MPI_' || true)
echo "$(wc -l < functions) functions, $provided of them provided"
