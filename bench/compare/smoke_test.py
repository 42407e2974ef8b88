#!/usr/bin/env python3
"""bench/compare/run from end to end with next to no work: that it runs, not how fast. Usage: smoke_test.py BUILD_DIR."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
SKIPPED = 77
# Without the measures of MPI that start each of five MPIs many times: mpi_perf's own test has their modes.
MEASURES = "latency,rate,bandwidth,passive,fetch,mpi-latency,mpi-rate,impi"


def main(build_dir):
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        print("skipped: one processor; two polling processes need two")
        return SKIPPED
    done = subprocess.run([sys.executable, "-B", os.path.join(HERE, "run"), "--no-build", "--build-dir", build_dir, "--repeats", "1",
                           "--matrix", os.path.join(HERE, "smoke.json"), "--only", MEASURES, "--cpus", ",".join(map(str, cpus)), "--json", "-"],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print(f"exit code {done.returncode}; expected 0")
        return 1
    document = json.loads(done.stdout)
    providers = (document["settings"]["provider"], document["settings"]["lintel_provider"])
    if providers != ("net", "direct"):
        print(f"providers {providers}; expected net of libfabric, and direct of Lintel")
        return 1
    measured = {(one["measure"], one["series"], one["size_bytes"]): one["repeats"] for one in document["results"]}
    expected = {("latency", "raw send", 8), ("latency", "Lintel put", 8), ("rate", "raw send", 8), ("rate", "Lintel put", 8),
                ("passive", "Lintel put", 8), ("fetch", "Portals 4 get", 8), ("fetch", "Portals 4 fetch-atomic", 8)}
    expected |= {(measure, f"Portals 4 put, {notify}", 8) for measure in ("latency", "rate", "passive") for notify in ("events", "counters")}
    expected |= {("bandwidth", f"Portals 4 {operation}, {notify}", size) for operation in ("put", "get")
                 for notify in ("events", "counters") for size in (1024, 65536)}
    expected |= {("bandwidth", series, size) for series in ("raw send", "raw write", "raw read", "Lintel put", "Lintel get")
                 for size in (1024, 65536)}
    expected |= {("mpi-latency", "Lintel MPI", 8), ("mpi-latency", "raw send", 8), ("mpi-rate", "Lintel MPI", 8)}
    expected |= {(measure, series, size) for measure, size in (("impi-latency", 8), ("impi-bandwidth", 65536))
                 for series in ("Lintel between jobs", "TCP, polling", "TCP, blocking")}
    # Beside Open MPI's own, and where there is a component for it.
    on_lintel = "lintel-mpirun" not in document["absent"]
    if on_lintel:
        expected |= {(measure, series, 8) for measure in ("mpi-latency", "mpi-rate") for series in ("Open MPI on Lintel", "Open MPI vader")}
    wrong = [key for key in sorted(expected) if len([figure for figure in measured.get(key, []) if figure > 0]) != 1]
    for key in wrong:
        print(f"{key}: {measured.get(key)}; expected one figure above 0")
    undecided = [one for one in document["requirements"] if one["verdict"] not in ("met", "missed") and (on_lintel or one["series"] != "Open MPI on Lintel")]
    for one in undecided:
        print(f"{one}; expected a verdict")
    return 1 if wrong or undecided else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
