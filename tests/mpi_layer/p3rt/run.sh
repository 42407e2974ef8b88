#!/usr/bin/env bash
# run.sh KIND MODE PMIX PROGRAM LINTEL_RUN: PROGRAM, an old program of Portals 3, knows its rank and
# reaches all others. KIND and PMIX are those of tests/mpi_layer/bootstrap/launcher.sh; with the
# kind maps there is no launcher, and PTL_MY_RID, PTL_NIDMAP and PTL_PIDMAP say all. MODE is the
# program's.
# Exit code 77: cannot be tried here, with the reason.
# shellcheck disable=SC1091,SC2034,SC2154
set -euo pipefail
kind=$1 mode=$2 pmix=$3 program=$4 lintel_run=$5
ranks=4
unset PTL_MY_RID PTL_NIDMAP PTL_PIDMAP

# expect_ranks <output>: it must have a line of each rank.
expect_ranks() {
  local wanted
  wanted=$(for ((rank = 0; rank < ranks; ++rank)); do echo "rank $rank of $ranks: ok"; done | sort)
  [ "$(sort <<< "$1")" = "$wanted" ] && return
  printf 'expected, in any order:\n%s\nand it said:\n%s\n' "$wanted" "$1"
  exit 1
}

# As many pids, separated by colons, whose ports are free now.
free_pids() {
  python3 -c '
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in sockets], sep=":")' "$ranks"
}

if [ "$kind" = maps ]; then
  PTL_PIDMAP=$(free_pids)
  export PTL_NIDMAP=127.0.0.1:0x7f000001:2130706433:127.0.0.1 PTL_PIDMAP
  said=$(
    started=()
    for ((rank = 0; rank < ranks; ++rank)); do
      PTL_MY_RID=$rank timeout -k 5 60 "$program" "$mode" < /dev/null &
      started+=($!)
    done
    for one in "${started[@]}"; do wait "$one" || exit 1; done
  )
  expect_ranks "$said"
  exit 0
fi
. "$(dirname "$0")/../bootstrap/launcher.sh"
# The secret is to be the one that the ranks make, which lintel-run's comes before.
[ "$mode" = outsider ] && export LINTEL_SECRET_FILE=
PIDS_OF_CHILDREN=$(free_pids)
export PIDS_OF_CHILDREN
expect_ranks "$(timeout -k 5 60 "${command[@]}" "$program" "$mode" < /dev/null)"
