# Included by launcher.sh: starts a Slurm for the script: one node, no munge, no accounting, in
# `folder` and on free ports of loopback. It is stopped when the script ends in any way.
# shellcheck shell=bash disable=SC2154
PATH=$PATH:/usr/sbin

daemons=()
stop() {
  local code=$? environment
  trap '' TERM INT HUP  # a second signal must not stop the stopping
  # By SIGKILL: nothing of it is kept, and slurmd 24.11 can hang when it is asked to stop.
  [ ${#daemons[@]} -eq 0 ] || kill -9 "${daemons[@]}" 2> /dev/null || true
  { wait; } 2> /dev/null
  # Steps are not children of the daemons, and a step whose job was aborted may hang. Kills every
  # process with this test's configuration in its environment.
  for environment in /proc/[0-9]*/environ; do
    if grep -qsF "SLURM_CONF=$folder/" "$environment"; then
      kill -9 "$(basename "${environment%/environ}")" 2> /dev/null || true
    fi
  done
  if [ $code -ne 0 ]; then tail -n 20 "$folder"/*.log 2> /dev/null || true; fi
  rm -rf "$folder"
  exit $code
}
trap stop EXIT
trap 'exit 143' TERM INT HUP

read -r port_of_controller port_of_node < <(python3 -c '
import socket
sockets = [socket.socket() for _ in range(2)]
for one in sockets: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in sockets])')
mkdir "$folder/state" "$folder/spool" "$folder/tmp"
cat > "$folder/slurm.conf" << CONFIGURATION
ClusterName=lintel
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port_of_controller
SlurmdPort=$port_of_node
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmdParameters=config_overrides
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
TmpFS=$folder/tmp
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
NodeName=localhost NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
CONFIGURATION
export SLURM_CONF=$folder/slurm.conf

slurmctld -D -c > "$folder/slurmctld.err" 2>&1 &
daemons+=($!)
slurmd -D -N localhost > "$folder/slurmd.err" 2>&1 &
daemons+=($!)
idle=
for ((i = 0; i < 200; ++i)); do
  kill -0 "${daemons[@]}" 2> /dev/null || break
  [ "$(sinfo -h -o %t 2> /dev/null)" = idle ] && idle=1 && break
  sleep 0.1
done
[ -n "$idle" ] || {
  echo 'Slurm does not come up:'
  cat "$folder"/*.err
  exit 1
}
