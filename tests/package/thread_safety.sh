#!/usr/bin/env bash
# thread_safety.sh <source tree>: clang refuses code that calls a part without the lock which it
# requires. Compiles tests/package/thread_safety/*.cpp, as one file: the lines that end in
# "// refused" are refused for that reason, and nothing else is.
set -u
cd "$1" || exit 1
if ! command -v clang++ > /dev/null; then
  echo 'without clang++ nothing can be said'
  exit 77
fi
sources=(tests/package/thread_safety/*.cpp)
said=$(printf '#include "%s"\n' "${sources[@]}" |
  clang++ -std=c++20 -I. -x c++ -fsyntax-only -ferror-limit=0 -Wthread-safety -Werror - 2>&1)
expected=$(grep -Hn '// refused$' "${sources[@]}" | cut -d: -f1,2)
refused=$(sed -n 's/^\(\.\/\)\{0,1\}\([^:]*:[0-9]*\):.* requires holding lock of the owner.*/\2/p' \
  <<< "$said" | sort -u)
others=$(grep ' error: ' <<< "$said" | grep -v 'requires holding lock of the owner')
if [ -z "$expected" ] || [ "$refused" != "$expected" ] || [ -n "$others" ]; then
  printf 'expected to be refused, for want of the lock alone:\n%s\nclang++ says:\n%s\n' \
    "$expected" "$said"
  exit 1
fi
