#!/usr/bin/env bash
# run.sh LINTEL_MPIRUN RANKS PROGRAM [ARGUMENT...]: the program, which checks its own results,
# succeeds under lintel-mpirun, and the counters file of every rank shows that Lintel has carried
# its messages; with LINTEL_FAULTS, that connections were lost and went on. Exit code 77: cannot be
# tested here, with the reason.
# shellcheck disable=SC1091,SC2034,SC2154
set -euo pipefail
lintel_mpirun=$1 ranks=$2 kind=openmpi pmix=ON
shift 2
. "$(dirname "$0")/../mpi_layer/bootstrap/launcher.sh"
command[0]=$lintel_mpirun

export LINTEL_COUNTERS_FILE=$folder/counters.%p
timeout -k 5 110 "${command[@]}" "$@" < /dev/null
counters=("$folder"/counters.*)
[ "${#counters[@]}" = "$ranks" ] || {
  echo "${#counters[@]} of $ranks ranks have left their counters"
  exit 1
}
[ "$ranks" = 1 ] || grep -qE '^puts_received [1-9]' "${counters[@]}" || {
  echo "Lintel has carried no message"
  exit 1
}
[ -n "${LINTEL_FAULTS-}" ] || exit 0
# each is counted at both of its ends
lost=$(awk '$1 == "connections_resumed" { sum += $2 } END { print int(sum / 2) }' "${counters[@]}")
echo "$lost connections were lost and resumed"
[ "$lost" -gt 0 ] || exit 1
