#!/bin/sh
# lacking.sh <folder of the wrappers> <folder of mpi.h> <compiler>: with gcc, clang, g++ or clang++.
# Use of a function or type that mpi.h lacks gives a message that names it, its place in MPI, and
# what to do. A program that only tests whether it exists finds that it does not, whichever way it
# tests. The header itself gives no warning.
set -e
wrappers=$1
include=$2
compiler=${3:?expected a compiler}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^LINTEL_MPI_LACKS(\(MPI_[A-Za-z0-9_]*\), LINTEL_MPI_SENTENCE);$/\1/p' \
  "$include/mpi_lacking.h" | LC_ALL=C sort > "$work/functions"
sed -n 's/^LINTEL_MPI_LACKS_TYPE(\(MPI_[A-Za-z0-9_]*\), .*/\1/p' "$include/mpi_lacking.h" \
  | LC_ALL=C sort > "$work/types"
[ "$(wc -l < "$work/functions")" -gt 300 ] && [ "$(wc -l < "$work/types")" -gt 5 ]

fail() {
  [ ! -f "$work/said" ] || head -n 40 "$work/said"
  echo "$compiler: $1"
  exit 1
}
# refused <flag>...: work/program must not compile or link. Leaves the messages in `said`.
refused() {
  if compile "$@" -o "$work/made" "$work/program.$suffix" 2> "$work/said"; then
    fail "it has made a program of: $(cat "$work/program.$suffix")"
  fi
}
compile() { env "$variable=$compiler" "$wrappers/$wrapper" "$@"; }

# The names in `said` for which there is a message of ours.
unavailable() {
  lacking="'[^']*\(MPI_[A-Za-z0-9_]*\)[^']*' is unavailable: Lintel.* (MPI 5.0, c"
  sed -n "s/.*error: $lacking.*/\1/p" "$work/said" | sort -u
}

export LC_ALL=C # quotation marks
case $compiler in
  *++)
    wrapper=lintel-mpicxx variable=LINTEL_CXX suffix=cpp standards="c++11 c++20" strict="" \
      external='extern "C"'
    ;;
  *)
    wrapper=lintel-mpicc variable=LINTEL_CC suffix=c standards="gnu89 c99 c11 c2x" \
      strict=-Wstrict-prototypes external=""
    ;;
esac
many=
case $compiler in clang*) many=-ferror-limit=0 ;; esac

for standard in $standards; do
  printf '#include <mpi.h>\nint main(void) { return MPI_VERSION == 5 ? 0 : 1; }\n' \
    > "$work/program.$suffix"
  # shellcheck disable=SC2086  # words
  compile -std=$standard -Wall -Wextra $strict -Werror -o "$work/made" "$work/program.$suffix" \
    2> "$work/said" || fail "a program that includes the header is met by a warning"

  # Whatever the arguments are.
  {
    printf '#include <mpi.h>\nvoid program(int* any) {\n'
    sed 's/.*/  &(any, 1, 2.0, "x");/' "$work/functions"
    echo '}'
  } > "$work/program.$suffix"
  # shellcheck disable=SC2086
  refused -std=$standard $many -c
  unavailable > "$work/met"
  diff "$work/functions" "$work/met" || fail "functions (<) without a sentence"
  advice="compile with Open MPI's mpicc, run with lintel-mpirun"
  grep -q "one-sided communication (MPI 5.0, chapter 12). Open MPI over Lintel has: $advice" \
    "$work/said" || fail "no advice"

  { printf '#include <mpi.h>\n' && sed 's/.*/& of_&;/' "$work/types"; } > "$work/program.$suffix"
  # shellcheck disable=SC2086
  refused -std=$standard $many -c
  unavailable > "$work/met"
  diff "$work/types" "$work/met" || fail "types (<) without a sentence"
done

# Probes: by address, as CMake's check_symbol_exists asks; by its name, as autoconf's
# AC_CHECK_DECL does; by a declaration of its own, as AC_CHECK_FUNC does, which compiles and is
# refused by the linker alone.
for name in MPI_Win_create MPI_File_open MPI_Cart_create MPI_Comm_spawn; do
  {
    printf '#include <mpi.h>\nint main(int argc, char** argv) {\n  (void)argv;\n'
    printf '#ifndef %s\n  return ((int*)(&%s))[argc];\n' $name $name
    printf '#else\n  return 0;\n#endif\n}\n'
  } > "$work/program.$suffix"
  refused
  printf '#include <mpi.h>\nint main(void) {\n#ifndef %s\n  (void)%s;\n#endif\n  return 0;\n}\n' \
    $name $name > "$work/program.$suffix"
  refused
  printf '%s char %s(void);\nint main(void) { return %s(); }\n' "$external" $name $name \
    > "$work/program.$suffix"
  compile -fno-builtin -c -o "$work/probe.o" "$work/program.$suffix" 2> "$work/said" \
    || fail "a probe that declares $name itself does not compile"
  refused
  grep -q "undefined reference to .*$name" "$work/said" \
    || fail "a probe for $name was refused, but not by the linker"
  {
    printf '#define LINTEL_MPI_UNDECLARED\n#include <mpi.h>\n'
    printf '%s double %s(double x) { return x; }\n' "$external" $name
    printf 'int main(void) { return (int)%s(0); }\n' $name
  } > "$work/program.$suffix"
  compile -o "$work/made" "$work/program.$suffix" 2> "$work/said" \
    || fail "a program with a function $name of its own does not compile"
done
