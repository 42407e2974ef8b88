#!/usr/bin/env python3
"""lintel-perf as its users run it.

Usage: lintel_perf_test.py TOOL [--newer-peer=PROGRAM] [--older-peer=PROGRAM]
                           [--returning-client=PROGRAM] [--provider=NAME] [CLAUSE...]
       lintel_perf_test.py --list
In NAME a plus stands for the semicolon, which CMake would take for a list: tcp+ofi_rxm.
"""

import os
import sys
import unittest

from chains import Chains
from command_line import CommandLine
from deaths import Deaths
from measurements import Measurements
from perf_tool import programs
from portals4 import Portals4
from servers import Servers

CASES = [CommandLine, Measurements, Portals4, Chains, Servers, Deaths]


def main():
    clauses = {name.removeprefix("test_"): case(name)
               for case in CASES
               for name in unittest.TestLoader().getTestCaseNames(case)}
    if sys.argv[1:] == ["--list"]:
        print("\n".join(clauses))
        return 0
    programs["tool"] = os.path.abspath(sys.argv[1])
    arguments = sys.argv[2:]
    for which in ("newer-peer", "older-peer", "returning-client"):
        if arguments and arguments[0].startswith(f"--{which}="):
            programs[which.replace("-", " ")] = arguments.pop(0).partition("=")[2]
    if arguments and arguments[0].startswith("--provider="):
        os.environ["LINTEL_PROVIDER"] = arguments.pop(0).partition("=")[2].replace("+", ";")
    suite = unittest.TestSuite(clauses[name] for name in arguments or clauses)
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
