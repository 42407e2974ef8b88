#!/usr/bin/env python3
"""bench/compare/run, builds and thresholds from end to end with next to no work: that they run,
not how fast.

smoke_test.py BUILD_DIR one_host|mpi|ranks|two_hosts|ended|builds|thresholds: run on one host, in
three parts; on two; refused, and ended by signals in the middle; the other two commands.
"""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
SKIPPED = 77
LIMIT_SECONDS = 60


def command(build_dir, cpus, *options):
    return [sys.executable, "-B", os.path.join(HERE, "run"), "--no-build", "--build-dir", build_dir,
            "--repeats", "1", "--matrix", os.path.join(HERE, "smoke.json"),
            "--cpus", ",".join(map(str, cpus)), *options]


def document_of(build_dir, cpus, *options):
    """What it writes, or None: said."""
    done = subprocess.run(command(build_dir, cpus, "--json", "-", *options), stdout=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode != 0:
        print(f"{' '.join(options)}: exit code {done.returncode}; expected 0")
        return None
    return json.loads(done.stdout)


def wrong_figures(document, expected):
    measured = {(one["measure"], one["series"], one["size_bytes"]): one["repeats"]
                for one in document["results"]}
    wrong = [key
             for key in sorted(expected)
             if len([figure for figure in measured.get(key, []) if figure > 0]) != 1]
    for key in wrong:
        print(f"{key}: {measured.get(key)}; expected one figure above 0")
    return wrong


def has_component(document):
    """Whether there is a component for the Open MPI of this machine."""
    return "lintel-mpirun" not in document["absent"]


def complete(document, expected):
    """Whether all of these were measured, and every requirement has a verdict."""
    wrong = wrong_figures(document, expected)
    undecided = [one
                 for one in document["requirements"]
                 if one["verdict"] not in ("met", "missed")
                 and (has_component(document) or one["series"] != "Open MPI on Lintel")]
    for one in undecided:
        print(f"{one}; expected a verdict")
    return not wrong and not undecided


def one_host(build_dir, cpus):
    document = document_of(build_dir, cpus, "--only", "latency,rate,bandwidth,passive,fetch")
    if document is None:
        return False
    providers = (document["settings"]["provider"], document["settings"]["lintel_provider"])
    if providers[0] not in ("net", "tcp") or providers[1] != "direct":
        print(f"providers {providers}; expected net or tcp of libfabric, and direct of Lintel")
        return False
    if document["host"]["congestion_control"] != "cubic":
        print(f"congestion control {document['host']['congestion_control']}; expected cubic")
        return False
    expected = {("latency", "raw send", 8), ("latency", "Lintel put", 8), ("rate", "raw send", 8),
                ("rate", "Lintel put", 8), ("passive", "Lintel put", 8),
                ("fetch", "Portals 4 get", 8), ("fetch", "Portals 4 fetch-atomic", 8)}
    expected |= {(measure, f"Portals 4 put, {notify}", 8)
                 for measure in ("latency", "rate", "passive")
                 for notify in ("events", "counters")}
    expected |= {("bandwidth", f"Portals 4 {operation}, {notify}", size)
                 for operation in ("put", "get") for notify in ("events", "counters")
                 for size in (1024, 65536)}
    expected |= {("bandwidth", series, size)
                 for series in ("raw send", "raw write", "raw read", "Lintel put", "Lintel get")
                 for size in (1024, 65536)}
    return complete(document, expected)


def mpi(build_dir, cpus):
    """Without the measures that start each of five MPIs many times: mpi_perf's own test covers
    their modes."""
    document = document_of(build_dir, cpus, "--only", "mpi-latency,mpi-rate,impi")
    if document is None:
        return False
    expected = {("mpi-latency", "Lintel MPI", 8), ("mpi-latency", "raw send", 8),
                ("mpi-rate", "Lintel MPI", 8)}
    expected |= {(measure, series, size)
                 for measure, size in (("impi-latency", 8), ("impi-bandwidth", 65536))
                 for series in ("Lintel between jobs", "TCP, polling", "TCP, blocking")}
    # Beside Open MPI's own.
    if has_component(document):
        expected |= {(measure, series, 8)
                     for measure in ("mpi-latency", "mpi-rate")
                     for series in ("Open MPI on Lintel", "Open MPI shared memory")}
    return complete(document, expected)


def ranks(build_dir, cpus):
    document = document_of(build_dir, cpus, "--only", "ranks-barrier,ranks-polled,ranks-split")
    if document is None:
        return False
    expected = {(measure, "Lintel MPI", 3)
                for measure in ("ranks-barrier", "ranks-polled", "ranks-split")}
    if has_component(document):
        expected |= {(measure, f"Open MPI on Lintel, {way}", 3)
                     for measure in ("ranks-barrier", "ranks-polled")
                     for way in ("yielding", "not yielding")}
    return complete(document, expected)


def two_hosts(build_dir, cpus):
    document = document_of(
        build_dir, cpus, "--hosts", "2", "--only", "latency,bandwidth,mpi-latency")
    if document is None:
        return False
    expected = {("latency", series, 8)
                for series in ("raw send", "Lintel put", "Portals 4 put, events")}
    expected |= {("bandwidth", series, 65536)
                 for series in ("raw write", "Lintel put", "Lintel get")}
    expected |= {("mpi-latency", "Lintel MPI", 8)}
    if has_component(document):
        expected |= {("mpi-latency", "Open MPI on Lintel", 8)}
    if "mpirun.openmpi" not in document["absent"]:
        expected |= {("mpi-latency", series, 8) for series in ("Open MPI ob1", "Open MPI mtl ofi")}
    return not wrong_figures(document, expected)


def refuses(build_dir, cpus):
    done = subprocess.run(command(build_dir, cpus, "--congestion", "none-such"),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if (done.returncode != 2
        or "--congestion: 'none-such'; expected one that this kernel offers:" not in done.stderr):
        print(f"--congestion none-such: exit code {done.returncode}, {done.stderr!r}; expected 2, "
              "and what the kernel offers")
        return False
    return True


def inside(namespace):
    """The processes that are in this network namespace."""
    for path in glob.glob("/proc/[0-9]*/ns/net"):
        try:
            if os.readlink(path) == namespace:
                yield path.split("/")[2]
        except OSError:
            continue  # has ended, or is somebody else's


def is_named(namespace):
    """Whether a file of ip-netns keeps it. Those of other programs come and go meanwhile."""
    for path in glob.glob("/run/netns/*"):
        try:
            if f"net:[{os.stat(path).st_ino}]" == namespace:
                return True
        except OSError:
            continue  # is gone
    return False


def leaves_nothing(build_dir, cpus, number):
    """Ended by this signal in the middle of a measurement, it leaves no process in its namespace.

    The namespace is gone then, because it has no name.
    """
    of_test = os.readlink("/proc/self/ns/net")
    # In half a second of each turn the target computes, so there is time to end it then.
    running = subprocess.Popen(
        command(
            build_dir, cpus, "--only", "passive",
            "--matrix", os.path.join(HERE, "matrix.json"), "--repeats", "1000"),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    line = running.stderr.readline()
    while line and not line.startswith("repeat 2 "):
        line = running.stderr.readline()
    namespace = os.readlink(f"/proc/{running.pid}/ns/net") if line else of_test
    if namespace == of_test:
        print("not in a network namespace of its own; expected one, and 'repeat 2' to be said: "
              f"{line!r}")
        running.kill()
        return False
    running.send_signal(number)
    code = running.wait(LIMIT_SECONDS)
    give_up = time.monotonic() + LIMIT_SECONDS
    while (left := list(inside(namespace))) and time.monotonic() < give_up:
        time.sleep(0.01)
    expected = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[number]
    named = is_named(namespace)
    if code != expected or left or named:
        print(f"ended by {number.name}: exit code {code}, processes {left} are left in its "
              f"namespace, which {'has' if named else 'has not'} got a name; "
              f"expected {expected}, none, and no name")
        return False
    return True


def ended(build_dir, cpus):
    return all([refuses(build_dir, cpus),
                *(leaves_nothing(build_dir, cpus, number)
                  for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL))])


def builds(build_dir, _):
    """A tree beside itself. No ratio of times is as low as 0.0001."""
    fine = True
    for options, code, said in (
            (["--sizes", "8"], 0, "mpi-latency, 8 B, Lintel MPI"),
            (["--sizes", "8", "--computing"], 0, "beside programs that compute"),
            (["--sizes", "9"], 0, "mpi-latency, 9 B, Lintel MPI"),
            (["--sizes", "8", "--most", "0.0001"], 1, "latency, 8 B, Lintel put"),
            (["--only", "first-contact"], 0, "first-contact, 8 B, Lintel put, second"),
            (["--only", "first-contact", "--most-added", "-1000000"], 1,
             "first-contact, 8 B, Lintel put, first of all"),
            (["--only", "contact"], 2, "'contact'; expected of latency, "),
            (["--sizes", "none"], 2, "'none'")):
        done = subprocess.run(
            [sys.executable, "-B", os.path.join(HERE, "builds"), build_dir, build_dir,
             "--matrix", os.path.join(HERE, "smoke.json"), "--turns", "1",
             "--only", "latency,mpi-latency", *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != code or said not in done.stdout or " failed: " in done.stdout:
            print(f"builds {options}: exit code {done.returncode}, {done.stdout}; expected {code}, "
                  f"and '{said}'")
            fine = False
    return fine


def thresholds(build_dir, _):
    """One that a setting moves, in the tree that is tested. What the builds of the others begin
    with, a test of the command's parts does (compare_test.py)."""
    fine = True
    for arguments, code, said in (
            (["--list"], 0, r"kFirstPart = \d+: "),
            (["kEagerDefault", "--sizes", "65536"], 0,
             r"\nbandwidth, 64 KiB, Lintel put +[\d.]+ \([\d.]+ to [\d.]+\) +[\d.]+ \("),
            (["kNone"], 2, "expected of kEagerDefault, ")):
        done = subprocess.run(
            [sys.executable, "-B", os.path.join(HERE, "thresholds"), *arguments, "--build-dir",
             build_dir, "--matrix", os.path.join(HERE, "smoke.json"), "--turns", "1"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != code or not re.search(said, done.stdout):
            print(f"thresholds {arguments}: exit code {done.returncode}, {done.stdout}; expected "
                  f"{code}, and '{said}'")
            fine = False
    return fine


PARTS = {"one_host": one_host, "mpi": mpi, "ranks": ranks, "two_hosts": two_hosts,
         "ended": ended, "builds": builds, "thresholds": thresholds}


def main(build_dir, part):
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        print("skipped: one processor; two polling processes need two")
        return SKIPPED
    return 0 if PARTS[part](build_dir, cpus) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
