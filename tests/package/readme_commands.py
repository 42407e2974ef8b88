#!/usr/bin/env python3
"""readme_commands.py README.md folder|packages

Prints the lines of "Use it" as one script for bash, for one of the two ways to install. Each line
is in the script as it stands. A block with lines of one way belongs to that way. A line that is in
no list below is an error, so that nobody adds one that no test runs.
"""

import re
import sys

# Lines that belong to only one way to install.
ONLY = {
    "folder": [r"tools/packages build$", r"cmake --preset ", r"export PATH="],
    "packages": [r"tools/packages deb$", r"apt install "],
}
# Lines that need other machines or a running Slurm, and the tests that cover them.
ELSEWHERE = {
    r"(LINTEL_INTERFACE=\S+ )?srun ": "system.Launchers.srun_pmix",
    r"mpirun .*--host ": "system.Launchers.mpirun, on one machine",
}
# Lines that any shell runs unchanged.
BOTH = [r"cc program\.c ", r"lintel-mpicc ", r"lintel-run ", r"mpirun ", r"apt-get install ",
        r"mpicc\.openmpi ", r"(LINTEL_COUNTERS_FILE=\S+ )?lintel-mpirun ", r"grep "]

# After each line, because "set -e" ignores failures before the last && of a line.
PASSED = "[ $? -eq 0 ] || exit 1"


def fail(sentence):
    sys.exit(f"readme_commands.py: {sentence}")


def matches(patterns, line):
    return any(re.match(pattern, line) for pattern in patterns)


def example(text):
    found = re.search(r"^```c\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return found.group(1) if found else fail("README.md has no C example")


def command_of(line):
    return re.sub(r"\s{2,}#.*", "", line).rstrip()


def shell_lines(block, way):
    lines = block.splitlines()
    ways = [other
            for other, patterns in ONLY.items()
            if any(matches(patterns, command_of(line)) for line in lines)]
    for line in lines:
        command = command_of(line)
        elsewhere = [tests for pattern, tests in ELSEWHERE.items() if re.match(pattern, command)]
        if not elsewhere and not matches(sum(ONLY.values(), BOTH), command):
            fail(f"no test knows what to do with the line '{line}'; expected it in ONLY, BOTH or "
                 "ELSEWHERE")
        if ways not in ([], [way]):
            continue  # the whole block is of the other way
        if elsewhere:
            yield f"echo 'not run here: {command}  ({elsewhere[0]})'"
            continue
        yield line
        yield PASSED
        if command.startswith("cc program.c "):
            yield "./a.out"


def cmake_lines(block, way):
    found = re.search(r"# a folder of its own: (cmake -D \S+)", block)
    if not found:
        fail("the lines for CMake do not say how they find Lintel in a folder of its own")
    yield "mkdir project && cp program.c project"
    yield "cat > project/CMakeLists.txt << 'END'"
    yield from ["cmake_minimum_required(VERSION 3.25)", "project(program LANGUAGES C)",
                "add_executable(program program.c)"]
    yield from block.splitlines()
    yield "END"
    yield f"{found.group(1) if way == 'folder' else 'cmake'} -S project -B project/build"
    yield "cmake --build project/build"
    yield "project/build/program"


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ONLY:
        fail(f"expected README.md and one of {', '.join(ONLY)}, not {' '.join(sys.argv[1:])}")
    way = sys.argv[2]
    with open(sys.argv[1], encoding="utf-8") as readme:
        text = readme.read()
    section = re.search(r"^## Use it$(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    if not section:
        fail("README.md has no section 'Use it'")
    script = ["set -eux -o pipefail", "cat > program.c << 'END'", example(text) + "END"]
    kinds = {"sh": shell_lines, "cmake": cmake_lines}
    for kind, block in re.findall(r"^```(\w*)\n(.*?)^```", section.group(1),
                                  re.MULTILINE | re.DOTALL):
        if kind not in kinds:
            fail(f"a block of '{kind}' in 'Use it'; expected {' or '.join(kinds)}")
        script += kinds[kind](block, way)
    tools = re.findall(r"^\| (`[^|]*`) \|", section.group(1), re.MULTILINE)
    commands = [name for names in tools for name in re.findall(r"`([a-z][a-z-]*)`", names)]
    if len(commands) < 6:
        fail(f"the table of tools names only {commands}")
    script += [f"command -v {name}" for name in commands]
    print("\n".join(script))


main()
