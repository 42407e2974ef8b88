# Included by scripts that run the programs of doc/examples.
# shellcheck shell=bash

# expected_of <source>: the output that the comment at its top states.
expected_of() { sed -n '/^ \* Prints:$/,/^ \*\/$/ s/^ \*   //p' "$1"; }

# expect <source> <output>: the same lines in any order, because processes print at the same time.
expect() {
  [ -n "$(expected_of "$1")" ] || { echo "$1 does not say what it prints"; exit 1; }
  diff <(expected_of "$1" | sort) <(sort <<< "$2") && return
  echo "that is not what the comment of $1 says"
  exit 1
}
