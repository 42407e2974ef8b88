#!/usr/bin/env bash
# run.sh SOURCE PROGRAM: an example prints what the comment of its source says.
# shellcheck disable=SC1091
set -euo pipefail
. "$(dirname "$0")/expectation.sh"
said=$(timeout -k 5 60 "$2" < /dev/null)
expect "$1" "$said"
