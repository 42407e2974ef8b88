# Included: `purpose` says for each installed program what its man page begins with, and help_of
# gives its own help.
# shellcheck shell=bash disable=SC2034
declare -A purpose=(
  [impi-server]="where jobs of different MPIs become one"
  [lintel-info]="networks, limits and settings of Lintel"
  [lintel-mpicc]="compile and link programs of MPI in C"
  [lintel-mpicxx]="compile and link programs of MPI in C++"
  [lintel-mpirun]="start programs of Open MPI, with their messages over Lintel"
  [lintel-perf]="measure one-sided communication"
  [lintel-run]="start the processes of a job on this machine"
)

# check_known <path>: a program that is installed without a purpose here is an error.
check_known() {
  local name=${1##*/}
  [ -n "${purpose[$name]-}" ] && return
  echo "doc/man: nothing is said of $name; expected a line for it in doc/man/programs.sh" >&2
  exit 1
}

# help_option <path>: of the compilers, --help is the help of the compiler beneath.
help_option() {
  case ${1##*/} in
    lintel-mpicc | lintel-mpicxx) echo --showme:help ;;
    *) echo --help ;;
  esac
}
