#!/usr/bin/env bash
# thread_safety.sh <source tree>: clang refuses code that calls a part without the lock which it
# requires. Compiles each tests/package/thread_safety/*.cpp twice: with HOLDS_THE_LOCK it must
# compile, without it must not, for that reason.
set -u
cd "$1" || exit 1
if ! command -v clang++ > /dev/null; then
  echo 'without clang++ nothing can be said'
  exit 77
fi
failed=0
compile() {
  clang++ -std=c++20 -I. -fsyntax-only -Wthread-safety -Werror "$@" 2>&1
}
for source in tests/package/thread_safety/*.cpp; do
  if ! said=$(compile -DHOLDS_THE_LOCK "$source"); then
    printf '%s does not compile with the lock:\n%s\n' "$source" "$said"
    failed=1
  fi
  if said=$(compile "$source"); then
    printf '%s compiles without the lock\n' "$source"
    failed=1
  elif ! grep -q 'requires holding lock of the owner' <<< "$said"; then
    printf '%s is refused for another reason than the lock:\n%s\n' "$source" "$said"
    failed=1
  fi
done
exit "$failed"
