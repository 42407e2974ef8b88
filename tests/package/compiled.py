#!/usr/bin/env python3
"""compiled.py <source tree>: fails where a C++ source is compiled by no target.

A source is compiled if the CMakeLists.txt of its folder, or of a folder above, names it by its path
from there. A list that a loop or a function goes through, which appends the suffix, may leave the
suffix out.
"""

import pathlib
import re
import sys

LAYERS = ["base", "transport", "portals", "mpi_layer", "tools", "bench", "tests"]
# tests/package/thread_safety.sh compiles each source of this folder.
BY_A_SCRIPT = "tests/package/thread_safety"
APPENDS_SUFFIX = re.compile(r"\$\{\w+\}\.cpp")


class Lists:
    """The words of each CMakeLists.txt of the tree, without comments."""

    def __init__(self, tree):
        self.tree = tree
        self.read = {}

    def words(self, folder):
        if folder not in self.read:
            path = self.tree / folder / "CMakeLists.txt"
            text = re.sub(r"#.*", "", path.read_text()) if path.is_file() else ""
            # A variable before a name is a folder: ${folder}/messages.cpp.
            words = {re.sub(r"^\$\{\w+\}/", "", word) for word in re.split(r'[\s()";]+', text)}
            if APPENDS_SUFFIX.search(text):
                words |= {word + ".cpp" for word in words}
            self.read[folder] = words
        return self.read[folder]

    def name(self, source):
        return any(source.relative_to(folder).as_posix() in self.words(folder)
                   for folder in source.parents)


def main():
    tree = pathlib.Path(sys.argv[1]).resolve()
    sources = [path.relative_to(tree) for layer in LAYERS for path in (tree / layer).rglob("*.cpp")
               if "build" not in path.relative_to(tree).parts]
    if len(sources) < 100:  # a check of no sources must not pass
        sys.exit(f"less than 100 C++ sources below {tree}; expected a source tree")
    lists = Lists(tree)
    forgotten = [source for source in sorted(sources)
                 if source.parent.as_posix() != BY_A_SCRIPT and not lists.name(source)]
    for source in forgotten:
        print(f"{source}: compiled by no target")
    sys.exit(1 if forgotten else 0)


main()
