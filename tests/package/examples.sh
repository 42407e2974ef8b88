#!/usr/bin/env bash
# examples.sh <source tree> <stage> <library folder> <cc>: the programs of doc/examples are built
# from an installed tree with exactly the commands of their comments, and run. tests/system/examples
# tests their output, and programs that need each other.
set -euo pipefail
source=$1 stage=$2 libdir=$3 cc=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source"/doc/examples/*.c "$work"
cd "$work"
mkdir bin
ln -s "$(command -v "$cc")" bin/cc
export PATH="$work/bin:$PATH" PKG_CONFIG_PATH="$stage/$libdir/pkgconfig"
for program in *.c; do
  line=$(sed -n 's/^ \* Build:   //p' "$program")
  module=$(grep -qF '<portals3.h>' "$program" && echo lintel-portals3 || echo portals4)
  [ "$line" = "cc -o ${program%.c} $program \$(pkg-config --cflags --libs $module)" ] || {
    echo "$program says that it is built by '$line'"
    exit 1
  }
  sh -c "$line"
  case $program in
    *_server.c | *_client.c) ;;
    *) "./${program%.c}" > /dev/null ;;
  esac
done
grep -oE '\]\([a-z0-9_]+\.c\)' "$source/doc/examples/README.md" | tr -d '])(' | sort > listed
printf '%s\n' *.c | sort | diff - listed \
  || { echo "doc/examples/README.md does not list these programs"; exit 1; }
echo "$(wc -l < listed) examples are built, and run"
