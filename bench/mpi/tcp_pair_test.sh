#!/usr/bin/env bash
# tcp_pair_test.sh TCP_PAIR: each mode with minimal work prints one line of JSON with a figure above
# 0. Wrong usage prints a message.
set -euo pipefail
[ "$(nproc)" -ge 2 ] || {
  echo "skipped: one processor; each of the two processes takes one"
  exit 77
}
for way in "" blocking; do
  for what in "latency 8 20 5" "latency 100000 4 2" "bandwidth 65536 8 2 4"; do
    # shellcheck disable=SC2086
    said=$("$1" $what $way)
    echo "$what $way: $said"
    python3 -c 'import json, sys
values = json.loads(sys.argv[1]).values()
assert min(value for value in values if not isinstance(value, str)) > 0' "$said"
  done
done
for wrong in "latency 8 20" "rate 8 20 5" "latency 0 20 5" "bandwidth 8 20 5" \
  "latency 8 20 5 waiting"; do
  # shellcheck disable=SC2086
  if said=$("$1" $wrong 2>&1); then
    echo "$wrong: taken"
    exit 1
  fi
  [[ $said == *expected* ]] || {
    echo "$wrong: $said"
    exit 1
  }
done
