#!/usr/bin/env bash
# surroundings.sh <source tree>: where Lintel cannot be built or packaged, one message says what is
# there and what is needed.
set -euo pipefail
source=$1
if [ -z "${SURROUNDINGS_APART-}" ]; then
  map=()
  [ "$(id -u)" -eq 0 ] || map=(--map-root-user)
  SURROUNDINGS_APART=yes exec unshare --mount "${map[@]}" "$0" "$@"
fi
work=$(mktemp -d)
trap 'umount "$work/small" 2> /dev/null; rm -rf "$work"' EXIT

# says <pattern> <command...>: the command must fail and print a line that matches the pattern.
says() {
  local pattern=$1
  shift
  if "$@" > "$work/said" 2>&1; then
    echo "'$*' succeeds; expected it to fail with '$pattern'"
    exit 1
  fi
  grep -qE "$pattern" "$work/said" || {
    echo "'$*' does not say '$pattern' but:"
    tail -n 20 "$work/said"
    exit 1
  }
}

mkdir "$work/old"
printf '#!/bin/sh\necho cmake version 3.18.4\n' > "$work/old/cmake"
chmod +x "$work/old/cmake"
says 'CMake here is 3\.18\.4; Lintel needs 3\.25 or later' env PATH="$work/old:$PATH" \
  "$source/tools/packages" build
printf 'Name: libfabric\nDescription: an old one\nVersion: 1.11.0\n' > "$work/old/libfabric.pc"
says 'libfabric here is 1\.11\.0; Lintel needs 1\.17 or later' env PKG_CONFIG_PATH="$work/old" \
  "$source/tools/packages" build
says "libfabric.*1\.11\.0" env PKG_CONFIG_PATH="$work/old" cmake -S "$source" -B "$work/build" \
  -D LINTEL_BUILD_TESTS=OFF
grep -q 'libfabric *>= *1\.17' "$work/said" \
  || { echo "cmake does not say which libfabric is needed"; exit 1; }
says "unknown argument '--nothing'" "$source/tools/make_packages" --nothing

mkdir "$work/small"
mount -t tmpfs -o size=2m small "$work/small"
says 'the disk that .*/small is on is full' \
  "$source/tools/make_packages" --into "$work/small/packages"
[ ! -e "$work/small/packages" ] || { echo "packages are left on a disk that was full"; exit 1; }
