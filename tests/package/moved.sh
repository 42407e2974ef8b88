#!/usr/bin/env bash
# moved.sh <prefix> <libdir> <example.c> <cc>: an installed tree that is moved elsewhere goes on working, its tools too.
set -euo pipefail
moved=$(mktemp -d)
trap 'rm -rf "$moved"' EXIT
cp -a "$1/." "$moved/tree"
"$(dirname "$0")/pkg_config.sh" "$moved/tree" "$2" "$3" "$4"
"$moved/tree/bin/lintel-info" --version
for api in 3 4; do
  LINTEL_INTERFACE=lo "$moved/tree/bin/lintel-perf" put-lat --api "$api" --sizes 8 --iterations 10 --repeats 1
done
