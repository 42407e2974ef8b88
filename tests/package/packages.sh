#!/usr/bin/env bash
# packages.sh 12|13: makes the packages in a root of that Debian, and tries them in another one that
# has nothing else: README's lines for packages run as they stand, then the packages are purged, and
# leave no file. For tools/check --full: it needs a mirror of Debian, and root or sudo.
# packages.sh --inside: the second half, in the clean root.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)

if [ "${1-}" != --inside ]; then
  "$tree/tools/debian" "$1" tools/packages deb
  "$here/readme_commands.py" "$tree/README.md" packages > "$tree/build/debian-$1/readme_packages"
  exec "$tree/tools/debian" --fresh "$1" tests/package/packages.sh --inside
fi

fail() { echo "packages.sh: $*" >&2; exit 1; }

! dpkg-query -W -f='${db:Status-Status}\n' gcc 2> /dev/null | grep -qx installed \
  || fail "--inside is for a clean root, and here is gcc"

# Stands for a user's machine: a compiler, CMake, pkg-config, and everything that Lintel's packages
# depend on.
echo 'APT::Get::Assume-Yes "true"; APT::Install-Recommends "false";' > /etc/apt/apt.conf.d/00test
apt-get update -qq
names=$(for package in "$tree"/build/packages/*.deb; do dpkg-deb --field "$package" Package; done)
needed=$(apt-get install --simulate "$tree"/build/packages/*.deb \
  | sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -vxF "$names")
# shellcheck disable=SC2086  # lists of names
apt-get install -qq gcc g++ libc6-dev make cmake pkg-config openmpi-bin libopenmpi-dev libpmix-dev \
  $needed > /dev/null

files() {
  find / -xdev \( -path "$tree" -o -path /tmp -o -path /var/cache -o -path /var/log \
    -o -path /var/lib/apt -o -path /var/lib/dpkg/info \) -prune -o -print | sort
}
files > /tmp/before

# A folder that looks like the tree and takes the files that the commands leave. The packages were
# made before.
mkdir -p /tmp/tree/tools
cd /tmp/tree
ln -s "$tree/tests" "$tree/build" .
printf '#!/bin/sh\n[ "$*" = deb ] && ls build/packages/*.deb\n' > tools/packages
chmod +x tools/packages
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
  OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe HOME=/tmp
bash build/readme_packages

# Every program has a man page and completion, finds its libraries, and no file is anybody else's.
for name in $names; do
  for program in $(dpkg -L "$name" | grep '^/usr/bin/'); do
    [ -s "/usr/share/man/man1/${program##*/}.1.gz" ] || fail "no man page of $program"
    [ -s "/usr/share/bash-completion/completions/${program##*/}" ] \
      || fail "no completion of $program"
  done
  for file in $(dpkg -L "$name"); do
    [ -f "$file" ] && [ ! -L "$file" ] || continue
    case $(head -c 4 "$file" | tr -d '\0') in
      ?ELF) ! ldd "$file" | grep 'not found' || fail "$file does not find its libraries" ;;
    esac
  done
done
complete_words() {  # <words of a command line, the last one unfinished>
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  # shellcheck disable=SC1090
  . "/usr/share/bash-completion/completions/$1"
  "_${1//-/_}"
  echo "${COMPREPLY[*]}"
}
[ "$(complete_words lintel-run --ti)" = --timeout ] \
  || fail "lintel-run --ti is not completed but '$(complete_words lintel-run --ti)'"
[ "$(complete_words lintel-run --bind '')" = 'none core' ] \
  || fail "lintel-run --bind is completed with '$(complete_words lintel-run --bind '')'"
[ "$(complete_words lintel-perf put-b)" = 'put-bw put-bibw' ] \
  || fail "lintel-perf put-b is completed with '$(complete_words lintel-perf put-b)'"
pkg-config --libs lintel-mpi portals4 | grep -q rpath \
  && fail "a program is told a folder that the linker searches: $(pkg-config --libs lintel-mpi)"
lintel-mpicc -show program.c | grep -q rpath \
  && fail "a program is told a folder that the linker searches: $(lintel-mpicc -show program.c)"

# shellcheck disable=SC2086  # a list of names
apt-get purge -qq $names > /dev/null
files > /tmp/after
diff /tmp/before /tmp/after || fail "purged packages leave files, or have taken others with them"
echo "$(wc -w <<< "$names") packages: installed, tried and purged"
