#!/usr/bin/env bash
# other_mpirun.sh LINTEL_MPIRUN SERIES OTHER_SERIES: lintel-mpirun refuses the mpirun of an Open MPI
# that its component, of SERIES, was not built for.
set -euo pipefail
lintel_mpirun=$1 series=$2 other_series=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# mpirun_of <version>: leaves its arguments in `ran`, other than those that ask for its version.
mpirun_of() {
  printf \
    '#!/bin/sh\n[ "$*" != --version ] || exec echo "mpirun (Open MPI) %s"\necho "$@" > %s/ran\n' \
    "$1" "$folder" > "$folder/mpirun"
  chmod +x "$folder/mpirun"
}
export LINTEL_MPIRUN=$folder/mpirun

mpirun_of "$series.9"
"$lintel_mpirun" -n 1 program
grep -q -- '--mca mtl lintel .* -n 1 program$' "$folder/ran" || {
  echo "expected mpirun to get the component's parameters and its own; it got: $(cat "$folder/ran")"
  exit 1
}
rm "$folder/ran"

mpirun_of "$other_series.9"
code=0
said=$("$lintel_mpirun" -n 1 program 2>&1) || code=$?
echo "$said"
expected="lintel-mpirun: $folder/mpirun is of Open MPI $other_series; expected $series, "
if [ "$code" != 1 ] || [ -e "$folder/ran" ] || [[ $said != "$expected"* ]]; then
  echo "expected a sentence that names both series, exit code 1, nothing started; exit code $code"
  exit 1
fi
