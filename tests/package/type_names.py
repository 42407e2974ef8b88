#!/usr/bin/env python3
"""type_names.py <source tree>: fails where two types have one name, in whatever scope.

A reader who meets a name in a search or in a dump should not have to ask which one it is. Classes,
structs, unions and enumerations count, of all layers but tests; aliases do not. Public headers of
C, whose names the specifications give, and examples for users are not looked at.
"""

import collections
import pathlib
import re
import sys

LAYERS = ["base", "transport", "portals", "mpi_layer", "tools", "bench"]
NOT_OURS = "portals/include/"
COMMENT = re.compile(r"//.*")
# After the keyword: macros and attributes, the name, then its bases or the body.
DEFINITION = re.compile(
    r"^\s*(?:template\s*<[^;{]*>\s*)?(?:typedef\s+)?(?:class|struct|union|enum(?:\s+class)?)\s+"
    r"(?:LINTEL_\w+(?:\(\"[^\"]*\"\))?\s+|\[\[[^\]]*\]\]\s*|alignas\([^)]*\)\s*)*"
    r"((?:\w+::)*\w+)(?:\s+final)?\s*(?::[^:;{][^;{]*)?\{", re.MULTILINE)
LEAST = 400  # types of the tree; a check of nothing must not pass


def definitions(tree):
    """(name, path and line) of each definition of a type."""
    for layer in LAYERS:
        for path in sorted((tree / layer).rglob("*")):
            name = path.relative_to(tree).as_posix()
            if path.suffix not in (".h", ".cpp", ".c") or name.startswith(NOT_OURS):
                continue
            text = COMMENT.sub("", path.read_text())
            for found in DEFINITION.finditer(text):
                line = text.count("\n", 0, found.start(1)) + 1
                yield found[1].rpartition("::")[2], f"{name}:{line}"


def main():
    tree = pathlib.Path(sys.argv[1])
    places = collections.defaultdict(list)
    for name, place in definitions(tree):
        places[name].append(place)
    if len(places) < LEAST:
        sys.exit(f"{len(places)} types in {tree}, expected a source tree with at least {LEAST}")
    repeated = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(repeated.items()):
        print(f"{name} is the name of {len(where)} types: {', '.join(where)}")
    return 1 if repeated else 0


if __name__ == "__main__":
    sys.exit(main())
