#!/usr/bin/env bash
# columns.sh <source tree>: fails where a line is too wide to read beside another file.
# Lines of Markdown have at most 120 columns. Tables, code blocks, lines that are one link, and
#   lines with a URL are not counted.
# Lines of code, scripts and comments have at most 100 columns. Lines with a URL and #include lines
#   are not counted. Data and generated files are not looked at.
set -u
export LC_ALL=C.UTF-8 # columns are characters, not bytes
cd "$1" || exit 1
too_wide=0

# report <columns> <lines>: prints the lines that are wider, if any.
report() {
  [ -z "$2" ] && return
  printf 'lines of more than %d columns:\n%s\n' "$1" "$2"
  too_wide=1
}

# files <find's conditions...>: files of the tree, without those of builds and of git.
files() {
  find . \( -name .git -o -name build -o -path ./tests/fuzz/corpus \) -prune -o -type f "$@" -print
}

# expect <number> <kind> <files>: fails with fewer files, because a check of no files must not pass.
expect() {
  [ "$(printf '%s\n' "$3" | wc -l)" -ge "$1" ] && return
  echo "less than $1 files of $2 below $PWD; expected a source tree"
  exit 1
}

# The wide lines of one page. Its code blocks are made blank, so that line numbers stay.
wide_lines_of_page() {
  local link='[0-9]+: *([-*] +)?!?\[[^]]*\]\([^)]*\)[.,;:]?$'
  # shellcheck disable=SC2016  # the backticks are of Markdown
  sed -E '/^ *[`]{3}/,/^ *[`]{3}/s/.*//' "$1" | grep -nE '^.{121}' |
    grep -vE "^[0-9]+: *\||https?://|^$link" | sed "s,^,$1:,"
}

check_markdown() {
  local pages page
  pages=$(files -name '*.md')
  expect 10 Markdown "$pages"
  report 120 "$(while read -r page; do wide_lines_of_page "$page"; done <<< "$pages")"
}

# Code by file name, and scripts without a suffix by their first line.
code_files() {
  files \( -name '*.h' -o -name '*.cpp' -o -name '*.c' -o -name '*.sh' -o -name '*.py' \
    -o -name '*.lua' -o -name '*.cmake' -o -name CMakeLists.txt -o -name '*.dot' \)
  files ! -name '*.*' | while read -r file; do
    [ "$(head -c 2 "$file")" = '#!' ] && echo "$file"
  done
}

check_code() {
  local code
  code=$(code_files)
  expect 100 code "$code"
  report 100 "$(printf '%s\n' "$code" | xargs -d '\n' grep -HnE '^.{101}' |
    grep -vE 'https?://|^[^:]+:[0-9]+: *# *include ')"
}

check_markdown
check_code
exit "$too_wide"
