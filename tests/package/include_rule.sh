#!/usr/bin/env bash
# include_rule.sh <source tree>: the folders of the tree depend on each other in one direction only.
set -u
cd "$1" || exit 1
broken=0

# forbid <what it breaks> <extended regex> <paths...>: none of the files below the paths has a line like this.
forbid() {
  local rule=$1 pattern=$2 found
  shift 2
  found=$(grep -rnE --include='*.h' --include='*.cpp' --include='*.c' -e "$pattern" "$@" 2>/dev/null)
  [ -z "$found" ] && return
  printf '%s:\n%s\n' "$rule" "$found"
  broken=1
}
# The files below portals/ that choose a transport or report about them: everything else there knows transport/transport.h and session/ only.
portals_but_composition=$(find portals -name '*.h' -o -name '*.cpp' | grep -vE '^portals/engine/(node_endpoint[a-z_]*|lintel_c)\.(h|cpp)$')

forbid 'libfabric is used below transport/fabric only' '#include *[<"]rdma/' base transport/*.h transport/session transport/simulated transport/faulty portals tools
forbid 'base/ knows nobody' '#include *"(transport|portals|tools)/' base
forbid 'transport/ knows base/ only' '#include *"(portals|tools)/' transport
forbid 'a transport does not know match bits' 'match_bits|MatchBits' transport base
# shellcheck disable=SC2086  # a list of files
forbid 'only the composition files name a transport' '#include *"transport/(fabric|simulated|faulty)/' $portals_but_composition
forbid 'tools use the public headers only' '#include *"(base|transport|portals)/' tools
forbid 'the faces hold no transport' '#include *"transport/' portals/api3
environment_readers=$(grep -rlE --include='*.cpp' --include='*.h' '\b(secure_)?getenv *\(|\benviron\)' base transport portals | grep -v '^base/environment.cpp$')
if [ -n "$environment_readers" ]; then
  printf 'the environment is read in base/environment.cpp only:\n%s\n' "$environment_readers"
  broken=1
fi
exit "$broken"
