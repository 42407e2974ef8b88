#!/usr/bin/env bash
# choice.sh CASE COMPONENTS PRELOADED SERIES OTHER_SERIES PROGRAM OTHER_VERSION: tests what Open MPI
# of SERIES does with the component in the folder COMPONENTS, without lintel-mpirun. In the folder
# PRELOADED, other_series.so makes it report OTHER_SERIES, and other_structures.so gives it other
# structures. The folder OTHER_VERSION has the component of another version of Lintel.
# shellcheck disable=SC1091,SC2034,SC2154
set -euo pipefail
case=$1 components=$2 preloaded=$3 series=$4 other_series=$5 program=$6 other_version=$7 \
  kind=openmpi ranks=2 pmix=ON
. "$(dirname "$0")/../mpi_layer/bootstrap/launcher.sh"
command=(timeout -k 5 60 "${command[@]}" --mca mca_base_component_path "SYS_DEFAULT:$components")

export LINTEL_COUNTERS_FILE=$folder/counters.%p LINTEL_OPENMPI=1

# run <command...>: leaves the output in `said` and the exit code in `code`.
run() {
  code=0
  said=$("$@" 2>&1 < /dev/null) || code=$?
  echo "$said"
}
fail() {
  echo "$1"
  exit 1
}
says() { [[ $said == *"$1"* ]] || fail "expected it to say: $1"; }
ends_well() { [ "$code" = 0 ] || fail "exit code $code"; }
# carried <yes or no>: whether Lintel carried the messages.
carried() {
  local found=no
  ! grep -qsE '^puts_sent [1-9]' "$folder"/counters.* || found=yes
  [ "$found" = "$1" ] || fail "by Lintel: $found; expected $1"
}

case $case in
  by_priority)
    run "${command[@]}" "$program"
    ends_well
    carried yes
    ;;
  unasked)
    LINTEL_OPENMPI=0 run "${command[@]}" "$program"
    ends_well
    carried no
    ;;
  other_series)
    run "${command[@]}" -x LD_PRELOAD="$preloaded/$case.so" "$program"
    built="the component mca_mtl_lintel.so was built for Open MPI $series"
    other="which says that it is Open MPI v$other_series.9"
    says "lintel: Open MPI: $built and leaves this one alone, $other"
    ends_well
    carried no
    ;;
  other_structures)
    run "${command[@]}" -x LD_PRELOAD="$preloaded/$case.so" "$program"
    reason="its structures are not those of the headers that it was built with"
    says "lintel: Open MPI: the component mca_mtl_lintel.so leaves this Open MPI alone: $reason"
    ends_well
    carried no
    ;;
  no_provider)
    LINTEL_PROVIDER=none run "${command[@]}" "$program"
    says "lintel: Open MPI: "
    says none
    ends_well
    carried no
    ;;
  bad_setting)
    LINTEL_EAGER_LIMIT=much run "${command[@]}" "$program"
    says "LINTEL_EAGER_LIMIT=much is not accepted"
    ends_well
    carried no
    ;;
  different_limits)
    # shellcheck disable=SC2016  # the rank's shell is to expand it
    run "${command[@]}" sh -c '
      [ "$OMPI_COMM_WORLD_RANK" = 0 ] || export LINTEL_MPI_UNEXPECTED=32M
      exec "$0"' "$program"
    says "lintel: Open MPI: rank 1 has LINTEL_MPI_UNEXPECTED=33554432"
    says "expected the same in all processes of a job"
    [ "$code" != 0 ] || fail "exit code 0"
    ;;
  mixed_versions)
    # shellcheck disable=SC2016  # the rank's shell is to expand it
    run "${command[@]}" sh -c '
      [ "$OMPI_COMM_WORLD_RANK" = 0 ] || export OMPI_MCA_mca_base_component_path="SYS_DEFAULT:$1"
      exec "$0"' "$program" "$other_version"
    says "lintel: Open MPI: rank 1 has Lintel 99.1.2, rank 0 has Lintel "
    says "expected one version in all processes of a job"
    [ "$code" != 0 ] || fail "exit code 0"
    ;;
  spawn)
    run "${command[@]}" "$program"
    functions="MPI_Comm_spawn, MPI_Comm_connect and their like"
    says "lintel: Open MPI: processes of another job cannot be met: $functions are not supported"
    [ "$code" != 0 ] || fail "exit code 0"
    ;;
  lost)
    # mpirun is told not to end the job itself. It may crash or hang afterwards.
    LINTEL_PEER_TIMEOUT=2s run "${command[@]}" --enable-recovery "$program"
    says "lintel: Open MPI: rank 0 of MPI_COMM_WORLD is lost: it has ended, or does not answer"
    says "the receive has failed"
    ;;
  *) fail "no case $case" ;;
esac
