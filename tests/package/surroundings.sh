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
says "'soak'; expected --quick, or --full and stages of it" "$source/tools/check" soak
says "there is no stage 'none'; expected of .*soak" "$source/tools/check" --full net none

mkdir "$work/small"
mount -t tmpfs -o size=2m small "$work/small"
says 'the disk that .*/small is on is full' \
  "$source/tools/make_packages" --into "$work/small/packages"
[ ! -e "$work/small/packages" ] || { echo "packages are left on a disk that was full"; exit 1; }

# ---- tools/debian, where it cannot make a root. It finds no program but those that it is given.
debian=$source/tools/debian
says "unknown option '--none'; expected \[--fresh\] RELEASE COMMAND" "$debian" --none 13 true
says "no release; expected" "$debian"
says "unknown release '11'; expected 12 or 13" "$debian" 11 true
says "no command; expected" "$debian" 13
says "no command; expected" "$debian" --fresh 13
says "exists takes no command; expected" "$debian" --exists 13 true
says "DEBIAN_ROOTS is 'roots'; expected an absolute path" env DEBIAN_ROOTS=roots "$debian" 13 true

# has <name...>: programs of this machine. stub <name> <line>: one that does this.
bin=$work/bin
mkdir "$bin"
has() {
  local name
  for name in "$@"; do ln -s "$(type -P "$name")" "$bin/$name"; done
}
stub() {
  rm -f "$bin/$1"
  printf '#!/bin/sh\n%s\n' "$2" > "$bin/$1"
  chmod +x "$bin/$1"
}
alone() { says "$1" env PATH="$bin" DEBIAN_ROOTS="$work/roots" "$debian" 13 true; }

has bash sh dirname readlink
stub id 'echo 1000'
alone 'neither root nor sudo here; a root of Debian 13 needs one of them'
stub id 'echo 0'
stub unshare 'exit 1'
alone 'no mount namespace can be made here \(unshare --mount\)'
rm "$bin/unshare"
has unshare true mkdir flock rm cat grep sort cut sed head awk df tail touch cp cmp mv
touch "$work/taken"
says 'cannot make the folder .*/taken/13' \
  env PATH="$bin" DEBIAN_ROOTS="$work/taken" "$debian" 13 true
alone 'no apt-get here; a root of Debian 13 is made with debootstrap'
stub apt-get 'exit 0'
alone "no mirror of Debian found in this machine's apt sources; expected one with component main"
# shellcheck disable=SC2016  # the variable is the stub's
stub apt-get '[ "$1" = indextargets ] && echo "stable http://mirror.invalid/debian/ main"'
stub apt-config "echo \"list='$work/none' parts='$work/none/'\""
mount -t tmpfs none /usr/share/keyrings
alone 'no keyring found for http://mirror.invalid/debian/; expected one named by apt'
touch /usr/share/keyrings/debian-archive-keyring.gpg
alone "debootstrap is not installed, and 'apt-get install debootstrap' failed"
stub debootstrap 'echo "no space" >&2; exit 1'
says 'the root of Debian 13 could not be made: of disk space, [0-9]+ MiB are left in .*/small, ' \
  env PATH="$bin" DEBIAN_ROOTS="$work/small" "$debian" 13 true
[ ! -e "$work/small/13/made" ] || { echo "a root that was not made counts as one"; exit 1; }
