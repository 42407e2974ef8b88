#!/usr/bin/env python3
"""limits_test.py <lintel_micro_bench>: holds the in-process costs to their limits, by processor time, the best of several runs.

One whole delivery of an 8-byte put at list depth 1 takes less than 150 ns, and one behind 10,000 exact entries at most twice one behind 10.
"""
import json
import subprocess
import sys

MAX_NS_AT_DEPTH_1 = 150.0
MAX_RATIO_10000_TO_10 = 2.0


def main() -> int:
    command = [sys.argv[1], "--benchmark_filter=^put_delivery/", "--benchmark_repetitions=5", "--benchmark_min_time=0.05",
               "--benchmark_format=json"]
    runs = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["benchmarks"]
    best = {}
    for run in runs:
        if run["run_type"] == "iteration":
            depth = int(run["run_name"].split("/")[1])
            best[depth] = min(best.get(depth, float("inf")), run["cpu_time"])
    for depth, ns in sorted(best.items()):
        print(f"one delivery at depth {depth}: {ns:.1f} ns")
    ratio = best[10000] / best[10]
    print(f"depth 10,000 to depth 10: {ratio:.2f}")
    failed = []
    if best[1] >= MAX_NS_AT_DEPTH_1:
        failed.append(f"depth 1 takes {best[1]:.1f} ns, expected less than {MAX_NS_AT_DEPTH_1:.0f}")
    if ratio > MAX_RATIO_10000_TO_10:
        failed.append(f"depth 10,000 takes {ratio:.2f} times depth 10, expected at most {MAX_RATIO_10000_TO_10:.0f}")
    for sentence in failed:
        print("missed:", sentence)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
