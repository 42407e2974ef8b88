#!/usr/bin/env bash
# moved.sh <prefix> <libdir> <example.c> <cc>: an installed tree that is moved elsewhere still
# works, including its tools: everything in it finds its libraries there.
set -euo pipefail
moved=$(mktemp -d)
trap 'rm -rf "$moved"' EXIT
cp -a "$1/." "$moved/tree"
unset LD_LIBRARY_PATH
"$(dirname "$0")/pkg_config.sh" "$moved/tree" "$2" "$3" "$4"

checked=0
for file in "$moved/tree"/bin/* $(find "$moved/tree/$2" -name '*.so*' -type f); do
  readelf -h "$file" > /dev/null 2>&1 || continue
  ldd "$file" > "$moved/libraries"
  if grep -E 'not found|/(liblintel|libportals)' "$moved/libraries" \
    | grep -vF "=> $moved/tree/"; then
    echo "${file#"$moved/"} does not find these in its own tree"
    exit 1
  fi
  checked=$((checked + 1))
done
[ "$checked" -ge 10 ] || { echo "only $checked programs and libraries are in $1"; exit 1; }

"$moved/tree/bin/lintel-info" --version
for api in 3 4; do
  LINTEL_INTERFACE=lo "$moved/tree/bin/lintel-perf" put-lat --api "$api" --sizes 8 --iterations 10 \
    --repeats 1
done
