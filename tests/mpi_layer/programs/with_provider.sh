#!/bin/sh
# with_provider.sh <provider> <command...>: runs the command with that provider of libfabric; a plus stands for the semicolon, which CMake would take for a list.
LINTEL_PROVIDER=$(echo "$1" | tr + ';')
export LINTEL_PROVIDER
shift
exec "$@"
