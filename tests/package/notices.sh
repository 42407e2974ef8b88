#!/usr/bin/env bash
# notices.sh <source tree>: all of it is under its own LICENSE; no file carries the notice of another one, such as the programs have with which other
# implementations of Portals are tested.
set -u
cd "$1" || exit 1
found=$(grep -rIlE --exclude-dir=build --exclude-dir=.git --exclude="$(basename "$0")" --exclude=LICENSE \
  'Copyright|General Public License|\b[AL]?GPL\b|SPDX-License|All rights reserved|Redistribution and use' .)
[ -z "$found" ] && exit 0
printf 'these files carry a notice of a licence:\n%s\n' "$found"
exit 1
