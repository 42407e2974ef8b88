#!/usr/bin/env bash
# soak_test.sh SOAK TREE: a soak of about a minute succeeds on the default network, with kills,
# restarts and attacks, and on shm, where none of these are possible; tools/check --full soaks all.
# A request that is not possible gives one message and exit code 2.
set -euo pipefail
soak=$1 tree=$2

# refused SENTENCE ARGUMENT...
refused() {
  local sentence=$1 code=0 said
  shift
  said=$("$soak" "$@" 2>&1) || code=$?
  if [ "$code" != 2 ] || ! [[ $said == "tools/soak: "*"$sentence"* ]] \
    || [ "$(wc -l <<< "$said")" != 1 ]; then
    printf 'soak %s: exit code %d, expected 2; expected "%s" in\n%s\n' "$*" "$code" "$sentence" \
      "$said"
    exit 1
  fi
}
refused "MINUTES" --tree "$tree"
refused "'soon'; expected a number of minutes" soon
refused "'0'; expected a number of minutes" 0
refused "'udp'; expected of direct, net, tcp;ofi_rxm, shm" 1 --networks direct,udp
refused "'-1'; expected a number from 0 on" 1 --seed=-1
refused "there is no tools/lintel-run/lintel-run in /nonexistent; expected a tree that is built" 1 \
  --tree /nonexistent

out=$("$soak" 0.01 --networks direct,shm --seed 29 --tree "$tree")
printf '%s\n' "$out"
for network in direct shm; do
  grep -qF "$network: 1 rounds" <<< "$out" || {
    echo "expected a round over $network"
    exit 1
  }
done
grep -qE "^direct: .* [1-9][0-9]* kills, 1 restarts" <<< "$out"
grep -qE "^direct: [1-9][0-9,]* times a lost connection went on" <<< "$out"
grep -qE "^direct: [1-9][0-9,]* attacks by strangers, who got [1-9].* and were refused [1-9]" \
  <<< "$out"
grep -q "^nothing was wrong" <<< "$out"
