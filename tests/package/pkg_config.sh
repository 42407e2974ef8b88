#!/usr/bin/env bash
# pkg_config.sh <prefix> <libdir> <example.c> <cc>: a C program finds an installed Lintel by
# pkg-config alone, and runs.
set -euo pipefail
prefix=$1 libdir=$2 example=$3 cc=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
# shellcheck disable=SC2046  # flags are words
"$cc" -std=c99 -Wall -Wextra -Werror -o "$work/example" "$example" \
  $(pkg-config --cflags --libs lintel-portals3)
"$work/example"
