#!/usr/bin/env python3
"""limits_test.py <lintel_micro_bench>: holds the in-process costs to their limits, by processor time, the best of several runs.

One whole delivery of an 8-byte put at list depth 1 takes less than 150 ns, and one behind 10,000 exact entries at most twice one behind 10. With Portals 4
one behind 100,000 exact entries, of the priority list, the overflow list, or both, or the claim of one behind 100,000 unexpected headers, takes at most 3 times
that behind 10.
"""
import json
import subprocess
import sys

MAX_NS_AT_DEPTH_1 = 150.0
MAX_RATIO_10000_TO_10 = 2.0
MAX_RATIO_100000_TO_10 = 3.0


def best_times(program: str, benchmarks: str) -> dict:
    """Of each benchmark that the expression names, by name without the depth: the shortest processor time at each depth, in ns."""
    command = [program, f"--benchmark_filter={benchmarks}", "--benchmark_repetitions=5", "--benchmark_min_time=0.05",
               "--benchmark_format=json"]
    runs = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["benchmarks"]
    best = {}
    for run in runs:
        if run.get("error_occurred"):
            sys.exit(f"{run['run_name']}: {run['error_message']}")
        if run["run_type"] == "iteration":
            name, depth = run["run_name"].rsplit("/", 1)
            times = best.setdefault(name, {})
            times[int(depth)] = min(times.get(int(depth), float("inf")), run["cpu_time"])
    return best


def main() -> int:
    failed = []

    def hold_ratio(name: str, times: dict, depth: int, limit: float) -> None:
        ratio = times[depth] / times[10]
        print(f"{name}, depth {depth} to depth 10: {ratio:.2f}")
        if ratio > limit:
            failed.append(f"{name} takes at depth {depth} {ratio:.2f} times depth 10, expected at most {limit:.0f}")

    delivery = best_times(sys.argv[1], "^put_delivery/")["put_delivery"]
    for depth, ns in sorted(delivery.items()):
        print(f"one delivery at depth {depth}: {ns:.1f} ns")
    if delivery[1] >= MAX_NS_AT_DEPTH_1:
        failed.append(f"depth 1 takes {delivery[1]:.1f} ns, expected less than {MAX_NS_AT_DEPTH_1:.0f}")
    hold_ratio("put_delivery", delivery, 10000, MAX_RATIO_10000_TO_10)

    lists = best_times(sys.argv[1], "^Portals4.*/exact/(10|100000)$")
    if len(lists) != 4:
        failed.append(f"found {len(lists)} benchmarks of the lists of Portals 4, expected 4: {', '.join(lists)}")
    for name, times in lists.items():
        hold_ratio(name, times, 100000, MAX_RATIO_100000_TO_10)

    for sentence in failed:
        print("missed:", sentence)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
