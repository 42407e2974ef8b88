#!/usr/bin/env bash
# over_resets.sh <program> [<argument>...]: the program passes although its processes lose their
# connections at three of ten messages (doc/reliability.md). Their counters and their logs at level
# info tell of these, and agree. But for peers that have ended in order, nothing else is logged, so
# a log at level warn is empty. Runs it until ten connections were lost. Network: direct.
set -u
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT

# sum <counter> <file>...
sum() { awk -v name="$1" '$1 == name { sum += $2 } END { print sum + 0 }' "${@:2}"; }

resumed=0 runs=0
while [ "$resumed" -lt 10 ]; do
  if [ "$runs" -eq 10 ]; then
    echo "$resumed connections were lost in $runs runs; expected 10" >&2
    exit 1
  fi
  LINTEL_FAULTS=reset=0.3 LINTEL_COUNTERS_FILE=$folder/%p.counters \
    LINTEL_LOG=info LINTEL_LOG_FILE=$folder/%p.log "$@" || exit 1
  # each is counted at both of its ends
  resumed=$(($(sum connections_resumed "$folder"/*.counters) / 2))
  runs=$((runs + 1))
done

line='^lintel\[[0-9]+\] info: the connection to [0-9.]+ pid [0-9]+ was lost and is resumed: '
for counters in "$folder"/*.counters; do
  log=${counters%.counters}.log
  touch "$log" # there is none without a line
  counted=$(sum connections_resumed "$counters")
  logged=$(grep -cE "$line" "$log")
  if [ "$logged" -ne "$counted" ]; then
    echo "a process counts $counted resumed connections, and logs $logged" >&2
    exit 1
  fi
done
end='^lintel\[[0-9]+\] info: peer [0-9.]+ pid [0-9]+ is closed; the peer closed its endpoint$'
if others=$(grep -hvE "$line|$end" "$folder"/*.log); then
  printf 'logged, although nothing is lost but connections:\n%s\n' "$others" >&2
  exit 1
fi
echo "$resumed connections were lost and resumed in $runs runs, and each is logged"
