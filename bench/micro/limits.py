"""What single operations cost inside one process, and their limits.

The costs are processor time of lintel_micro_bench, the best of several runs.
"""

import json
import subprocess
from typing import NamedTuple

MAX_NS_AT_DEPTH_1 = 150.0
MAX_RATIO_10000_TO_10 = 2.0
MAX_RATIO_100000_TO_10 = 3.0


class Cost(NamedTuple):
    what: str
    figure: float
    unit: str  # "ns", or "x" of the same behind 10 entries
    limit: float  # less than this, or at most this multiple

    def met(self, slack=1.0):
        """`slack` stretches limits of time, which depend on the machine. Multiples do not."""
        return self.figure < self.limit * slack if self.unit == "ns" else self.figure <= self.limit

    def text(self):
        return f"{self.figure:.0f} ns" if self.unit == "ns" else f"{self.figure:.2f} x"

    def required(self):
        return (f"less than {self.limit:.0f} ns"
                if self.unit == "ns" else f"at most {self.limit:.0f} x")


def best_times(program: str, benchmarks: str) -> dict:
    """The shortest processor time of each benchmark that the expression names, in ns, by its name
    without the depth and by the depth."""
    command = [program, f"--benchmark_filter={benchmarks}", "--benchmark_repetitions=5",
               "--benchmark_min_time=0.05", "--benchmark_format=json"]
    runs = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)[
        "benchmarks"]
    best = {}
    for run in runs:
        if run.get("error_occurred"):
            raise RuntimeError(f"{run['run_name']}: {run['error_message']}")
        if run["run_type"] == "iteration":
            name, depth = run["run_name"].rsplit("/", 1)
            times = best.setdefault(name, {})
            times[int(depth)] = min(times.get(int(depth), float("inf")), run["cpu_time"])
    return best


LISTS = {"Portals4Priority/exact": "priority list", "Portals4Overflow/exact": "overflow list",
         "Portals4OverflowBehindPriority/exact": "overflow list behind a priority list",
         "Portals4Unexpected/exact": "unexpected headers"}


def measure(program: str) -> list:
    """The costs that have limits. Takes some seconds."""
    delivery = best_times(program, "^put_delivery/")["put_delivery"]
    costs = [Cost("match and delivery of an 8-byte put, one entry", delivery[1], "ns",
                  MAX_NS_AT_DEPTH_1),
             Cost("the same behind 10,000 exact entries, to behind 10",
                  delivery[10000] / delivery[10], "x", MAX_RATIO_10000_TO_10)]
    lists = best_times(program, "^Portals4.*/exact/(10|100000)$")
    if set(lists) != set(LISTS):
        raise RuntimeError(f"found the benchmarks {sorted(lists)}, expected {sorted(LISTS)}")
    return costs + [Cost(f"Portals 4, {LISTS[name]}: exact match behind 100,000, to behind 10",
                         times[100000] / times[10], "x", MAX_RATIO_100000_TO_10)
                    for name, times in lists.items()]
