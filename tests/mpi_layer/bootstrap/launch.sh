#!/usr/bin/env bash
# launch.sh KIND PROGRAM RANKS PMIX: the world that PROGRAM opens when a launcher of Debian's starts it, and the end of a job that a rank aborts. KIND is alone,
# mpirun or hydra. PMIX is OFF in a build without the headers of PMIx. Exit code 77: cannot be tried here, with the reason.
set -euo pipefail
ulimit -c 0  # a launcher that crashes when a job is aborted, as Open MPI 4.1 can, leaves nothing here
kind=$1 program=$2 ranks=$3 pmix=$4

# skip <reason>
skip() {
  echo "skipped: $1"
  exit 77
}
# need <command> <Debian package>
need() { command -v "$1" > /dev/null || skip "no $1 here; it is in Debian's package $2"; }

for variable in $(compgen -e | grep -E '^(PMI|PMIX|OMPI|PRTE|SLURM|HYDRA)_' || true); do unset "$variable"; done
export HWLOC_COMPONENTS=-gl
case $kind in
  alone)
    ranks=1
    launcher=none
    command=()
    ;;
  mpirun)
    need mpirun.openmpi openmpi-bin
    [ "$pmix" = ON ] || skip "this build has no PMIx; its headers are in Debian's package libpmix-dev"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    command=(mpirun.openmpi --oversubscribe --bind-to none --mca oob_tcp_if_include lo -n "$ranks")
    launcher=PMIx
    ;;
  hydra)
    need mpiexec.hydra mpich
    command=(mpiexec.hydra -iface lo -n "$ranks")
    launcher=PMI-1
    ;;
  *)
    echo "launch.sh: '$kind' is not usable; expected alone, mpirun or hydra" >&2
    exit 2
    ;;
esac

# run_ranks check|abort
run_ranks() { timeout -k 5 30 "${command[@]}" "$program" "$1" "$ranks" "$launcher" < /dev/null; }
. "$(dirname "$0")/judge.sh"
