"""lintel-perf as a process, and what its tests have in common."""

import json
import os
import re
import subprocess
import time
import unittest

# by name: "tool"; "newer peer", which speaks a later version of the wire protocol, see
# newer_peer.cpp; "older peer", a lintel-perf of an earlier protocol, see older_peer.cpp; and
# "returning client", two clients of one name, see returning_client.cpp
programs = {}
SHORT = ["--iterations", "20", "--warm-up", "2", "--repeats", "2"]
CHAINS = ["barrier", "broadcast", "reduce"]
MEASUREMENTS = ["put-lat", "put-bw", "put-bibw", "get-lat", "get-bw", "msg-rate", "passive",
                "swap-lat", "quick"]
ATOMICS = ["fetch-lat", "atomic-rate"]  # of Portals 4 only
PORTALS4 = [["--api", "4", "--notify", "events"], ["--api", "4", "--notify", "counters"]]


def tool():
    return programs["tool"]


def newer_peer():
    return programs["newer peer"]


def older_peer():
    return programs["older peer"]


def returning_client():
    return programs["returning client"]


def environment():
    """The caller's, without settings that would change what is tested; LINTEL_PROVIDER stays."""
    return {name: value
            for name, value in os.environ.items()
            if not name.startswith("LINTEL_") or name == "LINTEL_PROVIDER"}


def run(*arguments, limit=60, **settings):
    return subprocess.run([tool(), *arguments], capture_output=True, text=True, timeout=limit,
                          env={**environment(), **settings})


def json_of(*arguments, limit=60):
    """The document of a run that must go through."""
    result = run(*arguments, "--json", "-", limit=limit)
    assert result.returncode == 0, f"exit code {result.returncode}: {result.stderr}"
    return json.loads(result.stdout)


def rows_of(table):
    return [line.split() for line in table.splitlines() if not line.startswith("#")]


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def state_and_more(folder):
    """The fields of a process' or a thread's stat from its state on."""
    with open(f"{folder}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()


def is_running(pid):
    try:
        return state_and_more(f"/proc/{pid}")[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def switches_of(pid, thread):
    """How often the thread has gone to sleep."""
    with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as file:
        return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.M)[1])


def time_of(pid, thread):
    """What it has had of a processor, in ticks."""
    fields = state_and_more(f"/proc/{pid}/task/{thread}")
    return int(fields[11]) + int(fields[12])


def thread_of(pid, name):
    """The number of the thread of that name."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/comm", encoding="ascii") as file:
            if file.read().strip() == name:
                return int(thread)
    raise AssertionError(f"process {pid} has no thread '{name}'")


def wait_until(condition, limit):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Server:
    """A server on a free process id, killed at the end."""

    def __init__(self, *arguments, command=None, **settings):
        self.process = subprocess.Popen(
            command or [tool(), "--server", "--pid", "any", *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**environment(), **settings})
        line = self.process.stdout.readline()
        found = re.search(r"at ([0-9.]+) pid (\d+)", line)
        if not found:
            self.process.kill()
            raise AssertionError(f"the server said '{line}' {self.process.stderr.read()}")
        self.address = f"{found[1]}:{found[2]}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


class PerfTest(unittest.TestCase):
    maxDiff = None

    def refuses(self, arguments, value, limit=5.0):
        """Returns what it says."""
        start = time.monotonic()
        result = run(*arguments)
        self.assertLess(time.monotonic() - start, limit)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        said = [line for line in result.stderr.splitlines() if line.startswith("lintel-perf: ")]
        self.assertEqual(len(said), 1, result.stderr)
        self.assertIn(value, said[0])
        self.assertIn("expected", said[0])
        return said[0]
