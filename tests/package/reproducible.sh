#!/usr/bin/env bash
# reproducible.sh <source tree>: the packages of one tree are the same bytes, made in another
# folder, at other dates of the files, by another locale and time zone.
# The second time nothing comes from ccache. For tools/check --full: it compiles Lintel twice.
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$source/tools/make_packages" --into "$work/first"
mkdir -p "$work/a/deeper/folder"
tar -C "$source" --exclude=./build --exclude='./build-*' --exclude=./.git -c . \
  | tar -C "$work/a/deeper/folder" -x -m
(
  cd "$work/a/deeper/folder"
  umask 027
  CCACHE_DISABLE=1 TZ=Asia/Tokyo LANG=C HOME=$work DEB_BUILD_OPTIONS=parallel=2 \
    tools/make_packages --into "$work/second"
)
cd "$work/first"
sha256sum -- *.deb > "$work/sums"
cd "$work/second"
sha256sum --check "$work/sums"
[ "$(printf '%s\n' *.deb | wc -l)" = "$(wc -l < "$work/sums")" ]
