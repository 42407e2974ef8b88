#!/usr/bin/env bash
# mpi_perf_test.sh LINTEL_RUN MPI_PERF RANKS_PERF COLLECTIVE_PERF: each mode with minimal work
# prints one line of JSON with a figure above 0. Wrong usage prints a message.
set -euo pipefail
lintel_run=$1 ranks_perf=$3 collective_perf=$4
run=("$1" -n 2 "$2")

measures() {
  local said
  said=$("${run[@]}" "$@")
  echo "$*: $said"
  python3 -c 'import json, sys
values = json.loads(sys.argv[1]).values()
assert min(value for value in values if not isinstance(value, (str, bool))) > 0' "$said"
}

measures latency 8 20 5
# Long messages of a ping-pong find their receives posted, and are placed on networks that can.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
LINTEL_COUNTERS_FILE=$folder/%p measures latency 262144 200 5
placing=0
case "${LINTEL_PROVIDER-}" in
  '' | direct) placing=2 ;;
  net) if pkg-config --max-version=1.17.99 libfabric; then placing=2; fi ;;
esac
grep -h '^payloads_placed ' "$folder"/* > "$folder/placed" || true
[ "$(wc -l < "$folder/placed")" = 2 ] \
  && [ "$(grep -c ' [1-9]' "$folder/placed")" = "$placing" ] || {
  cat "$folder/placed"
  echo "expected $placing of 2 ranks to place payloads"
  exit 1
}
measures rate 8 40 5 4
measures bandwidth 65536 8 2 4
measures bibandwidth 65536 8 2 4
measures allreduce 8 20 5
measures allreduce 1048576 4 2
measures alltoall 65536 4 2
for queue in posted unexpected; do
  measures "$queue" 20 20 5
  measures "$queue" 20 20 5 any
done

# refuses <message> <argument...>
refuses() {
  local sentence=$1 said
  shift
  if said=$("${run[@]}" "$@" 2>&1); then
    echo "$*: taken"
    exit 1
  fi
  [[ $said == *"$sentence"* ]] || {
    echo "$*: $said; expected: $sentence"
    exit 1
  }
}

refuses "SIZE or DEPTH is '-1'; expected" latency -1 20 5
refuses "SIZE or DEPTH is '12'; expected a number from 0 to 2000000000, a multiple of 8" \
  allreduce 12 20 5
refuses "MESSAGES or CALLS is 'many'; expected" alltoall 8 many 5
# without a window
refuses \
  "expected latency, rate, bandwidth, bibandwidth, allreduce, alltoall, posted or unexpected" \
  bibandwidth 8 20 5

for ranks in 2 5; do
  run=("$lintel_run" -n "$ranks" "$ranks_perf")
  for measure in barrier allreduce alltoall incast polled split dup; do
    measures "$measure" 5 2
  done
done
refuses "CALLS is '0'; expected a number from 1" barrier 0 2
refuses "expected barrier, allreduce, alltoall, incast, polled, split or dup" scan 5 2

for ranks in 2 5; do
  run=("$lintel_run" -n "$ranks" "$collective_perf")
  for function in broadcast gather scatter allgather alltoall reduce allreduce reduce_scatter; do
    measures "$function" 800 5 2
    measures "$function" 800000 3 2
  done
done
refuses "SIZE is '44'; expected a number from 40 to 2000000000, a multiple of 40" \
  allgather 44 5 2
refuses "expected broadcast, gather, scatter, allgather, alltoall, reduce, allreduce or" scan 8 5 2
