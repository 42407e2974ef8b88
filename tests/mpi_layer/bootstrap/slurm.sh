#!/usr/bin/env bash
# slurm.sh MPI PROGRAM RANKS PMIX: the world that PROGRAM opens when `srun --mpi=MPI` starts it, MPI being pmix or pmi2, and the end of a job that a rank aborts.
# Under a Slurm of this test's own: one node, no munge, no accounting, in a temporary folder and on free ports of loopback; it is stopped whatever happens.
# PMIX as for launch.sh. Exit code 77: cannot be tried here, with the reason.
set -euo pipefail
ulimit -c 0  # a launcher that crashes when a job is aborted, as Open MPI 4.1 can, leaves nothing here
mpi=$1 program=$2 ranks=$3 pmix=$4
PATH=$PATH:/usr/sbin

# skip <reason>
skip() {
  echo "skipped: $1"
  exit 77
}
for pair in srun:slurm-client slurmctld:slurmctld slurmd:slurmd; do
  command -v "${pair%%:*}" > /dev/null || skip "no ${pair%%:*} here; it is in Debian's package ${pair##*:}"
done
if [ "$mpi" = pmix ]; then
  launcher=PMIx
  [ "$pmix" = ON ] || skip "this build has no PMIx; its headers are in Debian's package libpmix-dev"
else
  launcher=PMI-1
fi

for variable in $(compgen -e | grep -E '^(PMI|PMIX|OMPI|PRTE|SLURM|HYDRA)_' || true); do unset "$variable"; done
folder=$(mktemp -d "${TMPDIR:-/tmp}/lintel_slurm.XXXXXX")
daemons=()
stop() {
  local code=$? environment
  trap '' TERM INT HUP  # a second signal must not stop the stopping
  [ ${#daemons[@]} -eq 0 ] || kill "${daemons[@]}" 2> /dev/null || true
  wait
  # Steps are no children of the daemons, and one whose job was aborted may hang: what has this test's configuration in its environment goes.
  for environment in /proc/[0-9]*/environ; do
    if grep -qsF "SLURM_CONF=$folder/" "$environment"; then kill -9 "$(basename "${environment%/environ}")" 2> /dev/null || true; fi
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

# run_ranks check|abort
run_ranks() { timeout -k 5 30 srun "--mpi=$mpi" --overcommit -n "$ranks" "$program" "$1" "$ranks" "$launcher" < /dev/null; }
. "$(dirname "$0")/judge.sh"
