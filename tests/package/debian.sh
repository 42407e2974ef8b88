#!/usr/bin/env bash
# debian.sh <source tree> <installed tree> <library folder>: debian/ lists everything that is
# installed: every symbol of the libraries, and every file.
set -euo pipefail
source=$1 stage=$2 libdir=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/debian" "$work"
cd "$work"
changelog=$(dpkg-parsechangelog -S Version) program=$("$stage/bin/lintel-info" --version)
[ "$changelog" = "${program##* }" ] \
  || { echo "debian/changelog is of version $changelog, and '$program' is installed"; exit 1; }
sed 's/@version@/0/' debian/liblintel0.symbols.in > debian/liblintel0.symbols
broken=0
for package in liblintel0:liblintel libportals3-3:libportals3 libportals4:libportals \
  liblintel-mpi0:liblintel_mpi libmpi-abi1:libmpi_abi; do
  library=$(readlink -f "$stage/$libdir/${package#*:}.so")
  # The C++ symbols of a debug build differ, so a pattern stands for them.
  dpkg-gensymbols -p"${package%:*}" -v0.1.0 -e"$library" -Idebian/"${package%:*}".symbols \
    -Osymbols -c4 > difference 2>&1 || {
    echo "debian/${package%:*}.symbols is not what $(basename "$library") shows:"
    grep -E '^[+-]|error|lost' difference | head -n 20
    broken=1
  }
done

# Files that no package takes, and files that a package expects and that do not exist. Man pages and
# completions are made with the packages.
sed "s,^usr/lib/\*,$libdir,; s,^usr/,," debian/*.install | grep -v '^tools/' \
  | grep -vE '^share/(man|bash-completion)/' > patterns
cd "$stage"
while read -r pattern; do
  # shellcheck disable=SC2086  # a pattern
  ls -d $pattern > /dev/null 2>&1 \
    || { echo "debian/ packages $pattern, and there is no such file"; broken=1; }
  # shellcheck disable=SC2086
  find $pattern ! -type d 2> /dev/null
done < "$work/patterns" | sort -u > "$work/packaged" || true
find . ! -type d | sed 's,^\./,,' | sort > "$work/installed"
grep -h '^debian/' "$work/packaged" && broken=1
left=$(comm -13 "$work/packaged" "$work/installed")
[ -z "$left" ] || { printf 'no package takes\n%s\n' "$left"; broken=1; }
exit "$broken"
