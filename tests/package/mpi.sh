#!/usr/bin/env bash
# mpi.sh <prefix> <libdir> <program.c>: the installed compilers make MPI programs that lintel-run
# starts. The tree may be moved, and its name may contain a blank.
set -euo pipefail
prefix=$1 libdir=$2 program=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LINTEL_INTERFACE=lo
cp "$program" sum.c
printf '#include "sum.c"\n' > sum.cpp

fail() { echo "$*"; exit 1; }

# tried <tree>: tests both compilers, in one step and in two, and other uses of them.
tried() {
  local tree=$1 cc=$1/bin/lintel-mpicc
  "$cc" -std=c99 -Wall -Wextra -Werror -O1 -o in_one sum.c
  "$tree/bin/lintel-run" -n 3 ./in_one
  "$cc" -c -o sum.o sum.c
  "$cc" -o in_two sum.o
  "$tree/bin/lintel-run" -n 2 ./in_two
  "$tree/bin/lintel-mpicxx" -o in_cxx sum.cpp
  "$tree/bin/lintel-run" -n 2 ./in_cxx
  readelf -d in_cxx | grep -q "NEEDED.*liblintel_mpi\.so\.0" \
    || fail "a program does not ask for liblintel_mpi.so.0"

  # The commands that they print are those that they run.
  eval "$("$cc" -show -c -o shown.o sum.c)"
  eval "$("$cc" -showme -o shown shown.o)"
  ./shown
  eval "$("$cc" --showme:command) $("$cc" --showme:compile) -o parts sum.c $("$cc" --showme:link)"
  ./parts
  [ "$("$cc" -compile_info)" = "$("$cc" --showme:compile)" ] \
    && [ "$("$cc" -link-info)" = "$("$cc" --showme:link)" ] \
    || fail "-compile_info and -link-info differ"
  case $("$cc" -show -c sum.c) in *-llintel_mpi*) fail "-show -c links" ;; esac
  case $("$cc" -show) in *-I*-llintel_mpi*) ;; *) fail "-show alone does not show both" ;; esac
  "$cc" --version > version.txt
  grep -qi 'gcc\|clang\|cc' version.txt || fail "--version is not the compiler's"
  "$cc" -showme:nothing 2> error.txt && fail "-showme:nothing is accepted"
  grep -q 'expected compile, link' error.txt

  # Another compiler.
  [ "$(LINTEL_CC='another -m64' "$cc" -showme:command)" = 'another -m64' ] \
    || fail "LINTEL_CC does not name the compiler"
  case $(LINTEL_CXX='another -m64' "$tree/bin/lintel-mpicxx" -show -c sum.cpp) in
    'another -m64 -I'*) ;;
    *) fail "LINTEL_CXX does not name the compiler" ;;
  esac
}
tried "$prefix"
ln -s "$prefix/bin/lintel-mpicc" linked
[ "$(./linked -showme:incdirs)" = "$("$prefix/bin/lintel-mpicc" -showme:incdirs)" ] \
  || fail "a link to lintel-mpicc finds other folders"
[ -f "$("$prefix/bin/lintel-mpicc" -showme:incdirs)/mpi.h" ] || fail "no mpi.h in -showme:incdirs"
[ ! -e "$prefix/include/mpi.h" ] || fail "mpi.h is where that of another MPI would be"

mkdir "another place"
cp -a "$prefix/." "another place/tree"
tried "$work/another place/tree"
rm -r "another place"

# By pkg-config; the paths of the folders may not have blanks.
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
# shellcheck disable=SC2046  # flags are words
cc -std=c99 -Wall -Wextra -Werror -o by_pkg_config sum.c $(pkg-config --cflags --libs lintel-mpi)
"$prefix/bin/lintel-run" -n 2 ./by_pkg_config
