# Included by scripts that run the programs of doc/examples.
# shellcheck shell=bash

# expected_of <source>: what the comment at its top says that it prints.
expected_of() { sed -n '/^ \* Prints:$/,/^ \*\/$/ s/^ \*   //p' "$1"; }

# expect <source> <what it printed>: the same lines. Processes print at the same time, so their
# order does not count.
expect() {
  [ -n "$(expected_of "$1")" ] || { echo "$1 does not say what it prints"; exit 1; }
  diff <(expected_of "$1" | sort) <(sort <<< "$2") && return
  echo "that is not what the comment of $1 says"
  exit 1
}
