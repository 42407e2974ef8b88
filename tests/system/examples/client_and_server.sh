#!/usr/bin/env bash
# client_and_server.sh server|client FOLDER SERVER CLIENT: the examples of FOLDER that find each
# other, whichever of the two is started first.
# shellcheck disable=SC1091
set -euo pipefail
first=$1 folder=$2 server=$3 client=$4
. "$(dirname "$0")/expectation.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A pid that no other test uses; its port must be free.
pid=$(python3 -c '
import os, socket
base = int(os.environ.get("LINTEL_PORT_BASE") or 27000)
for pid in range(900 + os.getpid() % 60, 1024):
    with socket.socket() as one:
        try:
            one.bind(("127.0.0.1", base + pid))
        except OSError:
            continue
    print(pid)
    break')

serve() { timeout -k 5 60 "$server" "$pid" > "$work/server" < /dev/null; }
ask() {
  timeout -k 5 60 "$client" 127.0.0.1 "$pid" hello "how are you today" "" \
    > "$work/client" < /dev/null
}
if [ "$first" = server ]; then
  serve &
  other=$!
  ask
else
  ask &
  other=$!
  sleep 0.5 # long enough for a vain try or two; nothing fails if it is not
  serve
fi
wait "$other"
expect "$folder/portals4_server.c" "$(cat "$work/server")"
expect "$folder/portals4_client.c" "$(cat "$work/client")"
