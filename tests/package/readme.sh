#!/usr/bin/env bash
# readme.sh <source tree> <build tree> [built]: README's lines for a folder of its own run as they
# stand, /opt/lintel included, which is there for this test only. The build tree takes the place of
# build/release, so that nothing is compiled: of the commands that make it only their presets are
# checked. With `built` they run.
set -euo pipefail
source=$1 build=$2 built=${3-}

# A mount namespace in which /opt is empty except for what it had.
if [ -z "${README_APART-}" ]; then
  map=()
  [ "$(id -u)" -eq 0 ] || map=(--map-root-user)
  README_APART=yes exec unshare --mount "${map[@]}" "$0" "$@"
fi
work=$(mktemp -d)
# Never deletes a mounted /opt, which is the machine's own.
tidy() {
  cd /
  umount -l /opt "$work/opt" 2> /dev/null || true
  mountpoint -q "$work/opt" || rm -rf "$work"
}
trap tidy EXIT
mkdir -p "$work/opt" "$work/tree/build" "$work/bin" "$work/tmp"
mount --bind /opt "$work/opt"
mount -t tmpfs lintel-readme /opt
for entry in "$work/opt"/*; do
  [ ! -e "$entry" ] || [ "$entry" = "$work/opt/lintel" ] || ln -s "$entry" /opt
done

"$(dirname "$0")/readme_commands.py" "$source/README.md" folder > "$work/commands"
for entry in "$source"/*; do
  [ "$(basename "$entry")" = build ] || ln -s "$entry" "$work/tree"
done
cd "$work/tree"
if [ -z "$built" ]; then
  ln -s "$build" build/release
  cat > "$work/bin/cmake" << END
#!/bin/sh
cmake=$(command -v cmake)
case "\$*" in
  "--preset "*) exec "\$cmake" "\$@" -N ;;
  "--build --preset "*) "\$cmake" --build --list-presets | grep -q "^ *\\"\$3\\"" ;;
  *) exec "\$cmake" "\$@" ;;
esac
END
  chmod +x "$work/bin/cmake"
fi
# Installed packages are not requested again, because that would need a network.
cat > "$work/bin/apt-get" << 'END'
#!/bin/sh
[ "$1" = install ] && shift && dpkg-query -W "$@"
END
chmod +x "$work/bin/apt-get"

# Not the machine's TMPDIR: there all mpirun of a user share a folder, which the last one that ends
# removes, and one that starts in this moment fails.
export TMPDIR=$work/tmp
# Open MPI refuses four ranks, or root, on two processors unless told otherwise.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
  OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
unset LD_LIBRARY_PATH LINTEL_PROVIDER
PATH=$work/bin:$PATH bash "$work/commands"
