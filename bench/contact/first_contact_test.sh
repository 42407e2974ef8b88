#!/usr/bin/env bash
# first_contact_test.sh LINTEL_RUN FIRST_CONTACT: it prints one line of JSON with two times for each
# of the other ranks, whose medians are right. Wrong usage prints a message.
set -euo pipefail
lintel_run=$1 program=$2

# measures RANKS SIZE
measures() {
  local said
  said=$("$lintel_run" -n "$1" "$program" "$2")
  echo "$1 ranks, $2 bytes: $said"
  python3 -c 'import json, statistics, sys
document, ranks, size = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
assert (document["targets"], document["of"]) == (ranks - 1, size)
for put in ("first_us", "second_us"):
  each = document[put + "_each"]
  assert len(each) == ranks - 1 and min(each) > 0
  assert abs(document[put] - statistics.median(each)) < 0.011' "$said" "$1" "$2"
}

measures 2 8
measures 5 8
measures 4 100000

# refuses RANKS MESSAGE ARGUMENT...
refuses() {
  local ranks=$1 sentence=$2 said
  shift 2
  if said=$("$lintel_run" -n "$ranks" "$program" "$@" 2>&1); then
    echo "$*: taken"
    exit 1
  fi
  [[ $said == *"$sentence"* ]] || {
    echo "$*: $said; expected: $sentence"
    exit 1
  }
}

refuses 1 "there are 1 ranks; expected 2 to" 8
refuses 2 "expected SIZE"
refuses 2 "SIZE is '0'; expected a number from 1" 0
refuses 2 "SIZE is 'many'; expected a number from 1" many
