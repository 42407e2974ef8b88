#!/usr/bin/env bash
# run.sh LINTEL_MPIRUN RANKS PROGRAM [ARGUMENT...]: the program, which checks its own results, ends well under lintel-mpirun, and every rank's counters say that
# Lintel has carried its messages. Exit code 77: cannot be tried here, with the reason.
# shellcheck disable=SC1091,SC2034,SC2154
set -euo pipefail
lintel_mpirun=$1 ranks=$2 kind=openmpi pmix=ON
shift 2
. "$(dirname "$0")/../mpi_layer/bootstrap/launcher.sh"
command[0]=$lintel_mpirun

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LINTEL_COUNTERS_FILE=$folder/%p LINTEL_PROVIDER=${LINTEL_PROVIDER-net}
timeout -k 5 110 "${command[@]}" "$@" < /dev/null
files=0
for file in "$folder"/*; do
  [ "$ranks" = 1 ] || grep -qE '^puts_sent [1-9]' "$file" || {
    echo "a rank has sent nothing by Lintel"
    exit 1
  }
  files=$((files + 1))
done
[ "$files" = "$ranks" ] || {
  echo "$files of $ranks ranks have used Lintel"
  exit 1
}
