#!/usr/bin/env bash
# symbols.sh <library folder>: each library of an API exports that interface, under its version
# node, and nothing else. The library of lintel-perf exports its seam.
set -euo pipefail

# check <library> <version node> <headers> <more names, or nothing>
check() {
  local symbols foreign name names="Ptl[A-Z][A-Za-z]*${4:+|$4}"
  symbols=$(nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }')
  foreign=$(grep -vE "^($names)@@$2\$" <<< "$symbols" || true)
  if [ -n "$foreign" ]; then
    printf '%s shows symbols that are not of its interface:\n%s\n' "$1" "$foreign"
    exit 1
  fi
  # shellcheck disable=SC2086  # several files
  for name in $(grep -ohE "\b($names)(\(|\[\])" $3 | grep -oE '^[A-Za-z_]+' | sort -u); do
    grep -q "^$name@@" <<< "$symbols" || { echo "$3 declares $name, and $1 has none"; exit 1; }
  done
  echo "$1: $(wc -l <<< "$symbols") symbols, all of its interface"
}

headers=$(dirname "$0")/../../portals/include
check "$1/libportals3.so" 'LINTEL_PORTALS3_1\.0' "$headers/portals3.h $headers/p3rt/p3rt.h" \
  'ptl_err_str|ptl_event_str'
check "$1/libportals.so" 'LINTEL_PORTALS4_1\.0' "$headers/portals4.h" ''

perf=$1/lintel/liblintel_perf_api4.so
foreign=$(nm -D --defined-only "$perf" | awk '{ print $3 }' \
  | grep -vE '^_Z(N|NK|TIN|TSN|TVN)6lintel4perf' || true)
if [ -n "$foreign" ]; then
  printf '%s shows symbols that are not of its seam:\n%s\n' "$perf" "$foreign"
  exit 1
fi
