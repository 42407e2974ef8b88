#!/usr/bin/env bash
# symbols.sh <library folder>: libportals3.so shows the Portals 3.3 interface, under its version node, and nothing else.
set -euo pipefail
symbols=$(nm -D --defined-only "$1/libportals3.so" | awk '$2 != "A" { print $3 }')
foreign=$(grep -vE '^(Ptl[A-Z][A-Za-z]*|ptl_err_str)@@LINTEL_PORTALS3_1\.0$' <<< "$symbols" || true)
if [ -n "$foreign" ]; then
  printf 'libportals3.so shows symbols that are not of Portals 3.3:\n%s\n' "$foreign"
  exit 1
fi
header=$(dirname "$0")/../../portals/include/portals3.h
for name in $(grep -oE '\b(Ptl[A-Za-z]+|ptl_err_str)(\(|\[\])' "$header" | grep -oE '^[A-Za-z_]+' | sort -u); do
  grep -q "^$name@@" <<< "$symbols" || { echo "portals3.h declares $name, and libportals3.so has none"; exit 1; }
done
echo "$(wc -l <<< "$symbols") symbols, all of Portals 3.3"
