#!/usr/bin/env bash
# as_over_ob1.sh LINTEL_MPIRUN RANKS [OPTION OF MPIRUN...] PROGRAM [ARGUMENT]: the program prints
# its results, which must be the same on Lintel and on Open MPI's own ob1 over TCP. Exit code 77:
# cannot be tested here, with the reason.
# shellcheck disable=SC1091,SC2034,SC2154
set -euo pipefail
here=$(dirname "$0") lintel_mpirun=$1 ranks=$2 kind=openmpi pmix=ON
shift 2
. "$here/../mpi_layer/bootstrap/launcher.sh"

# checks that Lintel has carried the messages
"$here/run.sh" "$lintel_mpirun" "$ranks" "$@" > "$folder/lintel"
timeout -k 5 110 "${command[@]}" --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include lo \
  "$@" > "$folder/ob1" < /dev/null
[ "$(wc -l < "$folder/ob1")" -gt 0 ] || {
  echo "ob1: nothing said"
  exit 1
}
diff "$folder/ob1" "$folder/lintel" || {
  echo "not the same on Open MPI's ob1 (<) and on Lintel (>)"
  exit 1
}
