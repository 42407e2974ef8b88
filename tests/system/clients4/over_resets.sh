#!/usr/bin/env bash
# over_resets.sh <program> [<argument>...]: the program passes although its processes lose their
# connections at three of ten messages (doc/reliability.md). Network: direct.
set -u
counters=$(mktemp -d) || exit 2
trap 'rm -rf "$counters"' EXIT

LINTEL_FAULTS=reset=0.3 LINTEL_COUNTERS_FILE=$counters/%p "$@" || exit 1
# each is counted at both of its ends
resumed=$(cat "$counters"/* |
  awk '$1 == "connections_resumed" { sum += $2 } END { print int(sum / 2) }')
echo "$resumed connections were lost and resumed"
if [ "$resumed" -lt 10 ]; then
  echo "expected at least 10, else the test has not seen what it is about" >&2
  exit 1
fi
