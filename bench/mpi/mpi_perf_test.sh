#!/usr/bin/env bash
# mpi_perf_test.sh LINTEL_RUN MPI_PERF: each mode with next to no work gives one line of JSON with a figure above 0; a wrong use is a sentence.
set -euo pipefail
run=("$1" -n 2 "$2")

measures() {
  local said
  said=$("${run[@]}" "$@")
  echo "$*: $said"
  python3 -c 'import json, sys; document = json.loads(sys.argv[1]); assert min(v for v in document.values() if not isinstance(v, (str, bool))) > 0' "$said"
}

measures latency 8 20 5
measures rate 8 40 5 4
measures bandwidth 65536 8 2 4
for queue in posted unexpected; do
  measures "$queue" 20 20 5
  measures "$queue" 20 20 5 any
done

if said=$("${run[@]}" latency -1 20 5 2>&1); then
  echo "a size of -1 was taken"
  exit 1
fi
[[ $said == *"SIZE or DEPTH is '-1'; expected"* ]] || {
  echo "$said"
  exit 1
}
