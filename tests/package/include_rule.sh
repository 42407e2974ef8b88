#!/usr/bin/env bash
# include_rule.sh <source tree>: folders of the tree depend on each other in one direction only.
set -u
cd "$1" || exit 1
broken=0

# forbid <what it breaks> <extended regex> <paths...>: none of the files below the paths has a line
# like this.
forbid() {
  local rule=$1 pattern=$2 found
  shift 2
  found=$(grep -rnE --include='*.h' --include='*.cpp' --include='*.c' -e "$pattern" \
    "$@" 2>/dev/null)
  [ -z "$found" ] && return
  printf '%s:\n%s\n' "$rule" "$found"
  broken=1
}
# Below portals/ one file composes the transports. All others there include only
# transport/transport.h. One more file uses libfabric's survey.
portals_but_composition=$(find portals \( -name '*.h' -o -name '*.cpp' \) \
  ! -path portals/engine/node/node_transport.cpp)
portals_but_survey=$(find portals \( -name '*.h' -o -name '*.cpp' \) \
  ! -path portals/engine/node/node_transport.cpp ! -path portals/engine/node/lintel_c.cpp)
transport_but_hmac=$(find transport \( -name '*.h' -o -name '*.cpp' \) \
  ! -path transport/contact/hmac.cpp)
# impi-server runs the MPI layer's start-up of IMPI on sockets.
tools_but_impi_server=$(find tools \( -name '*.h' -o -name '*.cpp' \) ! -path 'tools/impi-server/*')
tools_but_launchers=$(find tools \( -name '*.h' -o -name '*.cpp' \) ! -path 'tools/impi-server/*' \
  ! -path 'tools/lintel-run/*')

# Prefixes and parts of the expressions below.
includes_libfabric='#include *([<"]rdma/'
faces='"(transport|tools)/|"portals/(api[34]|include)/'

# part <part> <others...>: the part of the engine includes headers of these others only.
engine_parts='values memory events matching interface wire protocol progress process node'
part() {
  local part=$1 known=" $* " unknown='' other
  for other in $engine_parts; do
    case $known in *" $other "*) ;; *) unknown+="${unknown:+|}$other" ;; esac
  done
  shift
  forbid "engine/$part knows of the engine: ${*:-nothing}" \
    "#include *\"portals/engine/(($unknown)/|[a-z_]*\\.h)" "portals/engine/$part"
}
part values
part memory values
part events memory values
part matching events memory values
part interface matching events memory values
part wire events memory values
part protocol wire interface matching events memory values
part progress
part process progress protocol wire interface matching events memory values
for folder in portals/engine/*/; do
  [[ " $engine_parts " == *" $(basename "$folder") "* ]] && continue
  printf 'no rule says what %s may include\n' "$folder"
  broken=1
done
forbid 'of the parts of the engine protocol, process and node know the network' \
  '#include *"transport/' portals/engine/{values,memory,events,matching,interface,wire,progress}

# shellcheck disable=SC2086  # a list of files
forbid 'libgcrypt is used by transport/contact/hmac.cpp only' '#include *[<"]gcrypt' base bench \
  mpi_layer portals tools $transport_but_hmac
forbid 'libfabric is used below transport/fabric only' '#include *[<"]rdma/' base transport/*.h \
  transport/address transport/contact transport/direct transport/network transport/session \
  transport/simulated transport/faulty portals tools
forbid 'base/ knows nobody' '#include *"(transport|portals|mpi_layer|tools)/' base
forbid 'transport/ knows base/ only' '#include *"(portals|mpi_layer|tools)/' transport
forbid 'portals/ does not know what is built on it' '#include *"(mpi_layer|tools)/' portals
forbid 'envelope and p2p know base/ and the engine only' \
  "$includes_libfabric|[<\"]portals[34]\\.h|[<\"]mpi\\.h|$faces)" mpi_layer/envelope mpi_layer/p2p
p2p_but_engine_access=$(find mpi_layer/p2p \( -name '*.h' -o -name '*.cpp' \) \
  ! -path mpi_layer/p2p/engine_access.h)
# shellcheck disable=SC2086  # a list of files
forbid 'p2p meets the engine in engine_access.h only' '#include *"portals/' $p2p_but_engine_access
forbid 'of the engine, p2p includes process.h only' \
  '#include *"portals/(api|include|engine/([^p]|pro[gt]|process/[^p]))' mpi_layer/p2p
forbid 'the envelope knows nothing of messages' '#include *"mpi_layer/p2p/' mpi_layer/envelope
forbid 'a transport does not know match bits' 'match_bits|MatchBits' transport base
# shellcheck disable=SC2086  # lists of files
{
  forbid 'only the composition names a transport' \
    '#include *"transport/(session|simulated|faulty|direct)/' $portals_but_composition
  forbid 'only the composition names a transport' '#include *"transport/fabric/fabric_' \
    $portals_but_composition
  forbid 'only the composition and the survey name networks' \
    '#include *"transport/(fabric|network)/' $portals_but_survey
}
forbid 'the local objects of MPI know base/ only' \
  '#include *"(transport|portals|tools|mpi_layer/(envelope|p2p|bootstrap|mpi/runtime))/' \
  mpi_layer/mpi/objects mpi_layer/mpi/functions
forbid 'the runtime of MPI sits on p2p, start-up and the engine' \
  "$includes_libfabric|[<\"](portals[34]|lintel)\\.h|$faces)" mpi_layer/mpi/runtime
forbid 'the station sits on p2p, start-up and the engine' \
  "$includes_libfabric|[<\"](portals[34]|lintel|mpi)\\.h|$faces|\"mpi_layer/(mpi|openmpi)/)" \
  mpi_layer/station
forbid 'the C files of the component know Open MPI and their seam only' \
  '#include *"(base|transport|portals|tools|mpi_layer/[^o])' mpi_layer/openmpi/*.c \
  mpi_layer/openmpi/messages.h mpi_layer/openmpi/series.h mpi_layer/openmpi/mtl_lintel.h
forbid 'Open MPI is known to the C files of the component only' '#include *"(ompi|opal)/' base \
  portals transport tools mpi_layer/*/*.cpp
forbid 'the objects below the C functions know no mpi.h' \
  '#include *([<"]mpi(_constants|_profiling)?\.h|"mpi_layer/mpi/functions/)' mpi_layer/mpi/objects
forbid 'tools use the public headers only' '#include *"(transport|portals)/' tools
# shellcheck disable=SC2086  # lists of files
{
  forbid 'tools use the public headers only' '#include *"base/' $tools_but_launchers
  forbid 'tools share the lines of PMI-1 with the MPI layer and nothing else' \
    '#include *"mpi_layer/([^b]|bootstrap/([^p]|p[^m]|pm[^i]|pmi[^1]))' $tools_but_impi_server
}
forbid 'lintel-run shares with the libraries how a descriptor is owned, and nothing else of base/' \
  '#include *"base/([^f]|f[^i])' tools/lintel-run
forbid 'impi-server sits on the start-up of IMPI' '#include *"mpi_layer/([^i]|i[^m])' \
  tools/impi-server
above_start_up='transport|portals|tools|mpi_layer/([^bi]|bootstrap/[^o]|impi/gateway)'
forbid 'IMPI below its gateway knows base/ and how start-up fails' \
  "#include *(\"($above_start_up)|[<\"](portals[34]|lintel|mpi)\\.h)" \
  mpi_layer/impi/*.h mpi_layer/impi/*.cpp mpi_layer/impi/host mpi_layer/impi/sockets
beside_gateway='"mpi_layer/(mpi|openmpi|station)/'
forbid 'the gateway of IMPI sits on p2p and the engine' \
  "$includes_libfabric|[<\"](portals[34]|lintel|mpi)\\.h|$faces|$beside_gateway)" \
  mpi_layer/impi/gateway
forbid 'start-up knows base/ only' \
  '#include *("(transport|portals|tools|mpi_layer/[^b])|[<"](portals[34]|lintel)\.h)' \
  mpi_layer/bootstrap
not_portals3='"(transport|tools)/|"portals/api4/|"mpi_layer/([^bp]|bootstrap/pmi|p2p)'
forbid 'the runtime of old programs sits on the face of Portals 3 and start-up' \
  "$includes_libfabric|[<\"](portals4|lintel|mpi)\\.h|$not_portals3)" mpi_layer/p3rt
perf=tools/lintel-perf
# shellcheck disable=SC2086  # lists of files
{
  forbid 'portals3.h and portals4.h do not go into one library' \
    '#include *[<"]portals3\.h' $perf/api4
  forbid 'portals4.h belongs to the library of its own' \
    '#include *[<"]portals4\.h' $perf/*.h $perf/*.cpp $perf/api3
  forbid 'the seam of lintel-perf names no API' \
    '#include *[<"](portals[34]\.h|interface\.h|api[34]/)' $perf/operations.h $perf/chain.h \
    $perf/queued_operations.h $perf/contents.h $perf/side.h
  forbid 'measurements call no API' '\bPtl[A-Z][A-Za-z]*\(' \
    $perf/timed.cpp $perf/passive.cpp $perf/side.h
}
forbid 'the faces hold no transport' '#include *"transport/' portals/api3 portals/api4
forbid 'what is measured and tested knows nothing of measurements and tests' \
  '#include *"(bench|tests)/' base transport portals mpi_layer tools
forbid 'bench/raw is libfabric without Lintel' \
  '#include *(["<](portals3|lintel)\.h|"(base|transport|portals|tools|tests)/)' bench/raw
forbid 'bench/micro measures the engine without a network' \
  '#include *([<"]rdma/|"(transport/[a-z]*/|tools/|tests/))' bench/micro
environment_readers=$(grep -rlE --include='*.cpp' --include='*.h' \
  '\b(secure_)?getenv *\(|\benviron\)' base transport portals mpi_layer \
  | grep -v '^base/environment.cpp$')
if [ -n "$environment_readers" ]; then
  printf 'the environment is read in base/environment.cpp only:\n%s\n' "$environment_readers"
  broken=1
fi
exit "$broken"
