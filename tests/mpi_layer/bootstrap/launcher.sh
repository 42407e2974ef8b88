# Included by scripts that start ranks: with `kind`, `ranks` and `pmix` set it sets `command`, an
# array to be followed by a program and its arguments, and `launcher`, what Lintel says of it. KIND
# is alone; lintel-run, its path in `lintel_run`; mpirun, hydra, srun_pmix or srun_pmi2, the latter
# two under a Slurm of the script's own; openmpi or mpich, for programs of these. `pmix` is OFF in a
# build without the headers of PMIx. `folder` is the script's folder for temporary files, TMPDIR
# too; it goes when the script ends, so the trap of EXIT is taken. Ends the script with exit code
# 77, and the reason, where the launcher is not here.
# shellcheck shell=bash disable=SC2034,SC2154

# a launcher that crashes when a job is aborted, as Open MPI 4.1 can, leaves nothing here
ulimit -c 0

# skip <reason>
skip() {
  echo "skipped: $1"
  exit 77
}
# need <command> <Debian package>
need() { command -v "$1" > /dev/null || skip "no $1 here; it is in Debian's package $2"; }
need_pmix() {
  [ "$pmix" = ON ] || skip "this build has no PMIx; its headers are in Debian's package libpmix-dev"
}

for variable in $(compgen -e | grep -E '^(PMI|PMIX|OMPI|PRTE|SLURM|HYDRA)_' || true); do
  unset "$variable"
done
export HWLOC_COMPONENTS=-gl
# Not the machine's TMPDIR: there all mpirun of a user share a folder, which the last one that ends
# removes, and one that starts in this moment fails.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TMPDIR=$folder
case $kind in
  alone)
    ranks=1
    launcher=none
    command=()
    ;;
  lintel-run)
    launcher=PMI-1
    command=("$lintel_run" -n "$ranks")
    ;;
  mpirun | openmpi)
    need mpirun.openmpi openmpi-bin
    [ "$kind" = openmpi ] || need_pmix
    launcher=PMIx
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    command=(mpirun.openmpi --oversubscribe --bind-to none -n "$ranks")
    case "$(mpirun.openmpi --version)" in
      # mpirun of 5.0 does not accept the loopback here, and needs none for ranks of this machine
      *" 4."*) command+=(--mca oob_tcp_if_include lo) ;;
    esac
    ;;
  hydra | mpich)
    need mpiexec.hydra mpich
    launcher=PMI-1
    command=(mpiexec.hydra -iface lo -n "$ranks")
    ;;
  srun_pmix | srun_pmi2)
    for pair in srun:slurm-client slurmctld:slurmctld slurmd:slurmd; do
      PATH=$PATH:/usr/sbin need "${pair%%:*}" "${pair##*:}"
    done
    launcher=PMI-1
    if [ "$kind" = srun_pmix ]; then
      need_pmix
      launcher=PMIx
    fi
    . "$(dirname "${BASH_SOURCE[0]}")/slurm.sh"
    command=(srun "--mpi=${kind#srun_}" --overcommit -n "$ranks")
    ;;
  *)
    kinds="alone, lintel-run, mpirun, hydra, srun_pmix, srun_pmi2, openmpi or mpich"
    echo "launcher.sh: '$kind' is not usable; expected $kinds" >&2
    exit 2
    ;;
esac
