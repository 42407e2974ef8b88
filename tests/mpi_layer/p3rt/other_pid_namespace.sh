#!/usr/bin/env bash
# other_pid_namespace.sh PROGRAM LINTEL_RUN: a rank that lives in another namespace of process ids
# than lintel-run does not find the secret of its job. It says so, and what to do; with a file it
# starts.
# Exit code 77: cannot be tried here, with the reason.
set -euo pipefail
program=$1 lintel_run=$2
apart=(unshare --user --map-root-user --pid --fork --mount-proc)
unset LINTEL_SECRET_FILE LINTEL_LOG_FILE LINTEL_LOG

if ! why=$("${apart[@]}" true 2>&1); then
  echo "skipped: no namespace of process ids here: $why"
  exit 77
fi
if said=$(timeout -k 5 60 "$lintel_run" -n 1 "${apart[@]}" "$program" before 2>&1 < /dev/null); then
  printf 'the rank has started without the secret of its job:\n%s\n' "$said"
  exit 1
fi
for part in "LINTEL_SECRET_FILE: '/proc/" "namespace of process ids" "set LINTEL_SECRET_FILE to"; do
  grep -qF "$part" <<< "$said" && continue
  printf "expected '%s' in:\n%s\n" "$part" "$said"
  exit 1
done

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
(umask 077 && head -c 32 /dev/urandom > "$folder/secret")
said=$(LINTEL_SECRET_FILE=$folder/secret timeout -k 5 60 "$lintel_run" -n 1 "${apart[@]}" \
  "$program" before 2>&1 < /dev/null) || {
  printf 'with a file the rank did not start:\n%s\n' "$said"
  exit 1
}
[ "$said" = "rank 0 of 1: ok" ] || {
  printf 'expected rank 0 of 1: ok, and it said:\n%s\n' "$said"
  exit 1
}
