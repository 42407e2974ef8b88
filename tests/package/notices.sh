#!/usr/bin/env bash
# notices.sh <source tree>: everything is under its own LICENSE. No file has the notice of another
# licence, such as that of programs with which other implementations of Portals are tested.
# debian/copyright, which packages must have, says the same as LICENSE.
set -u
cd "$1" || exit 1
notices='Copyright|General Public License|\b[AL]?GPL\b|SPDX-License'
notices+='|All rights reserved|Redistribution and use'
found=$(grep -rIlE --exclude-dir=build --exclude-dir=.git --exclude="$(basename "$0")" \
  --exclude=LICENSE "$notices" . | grep -vx './debian/copyright')
if [ -n "$found" ]; then
  printf 'these files carry a notice of a licence:\n%s\n' "$found"
  exit 1
fi

# words <file>: its words, without the markup of either form and without the year's "(c)".
words() { sed 's/^ \.$//; s/^Copyright:/Copyright/; s/(c) //' "$1" | tr -s ' \n' '\n\n' | grep .; }
diff <(words LICENSE | sed '1,3d') \
  <(words debian/copyright | sed '1,/\*/d' | sed '/^License:$/,/^BSD-3-Clause$/d') || {
  echo "debian/copyright differs from LICENSE"
  exit 1
}
