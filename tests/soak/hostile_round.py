"""A round in which strangers attack: survivors, their peers, and the ranks of a job of MPI.

All that they do must be as right as without strangers, of which there are turns in between, with
the same random numbers: contents and counts are checked by the processes themselves, as in every
round, and nobody may be lost.
"""

import os
import random
import re
import signal
import statistics
import sys
import time

from processes import Failed, Process, children_of, program_of, wait_until

TURNS = 2  # of each kind
PEERS = 2  # of each survivor in a turn
OPERATIONS = 2000  # of one peer in a turn
ROUNDS_OF_MPI = 100
# How much more memory a process may take while it is attacked than without: 16 payloads of 1 MiB
# that nobody expects, and a message of 68 KiB that does not end on each of 256 connections without
# a session, by the limits of doc/security.md. Twice that, for what the heap keeps.
MOST_MORE_KIB = 2 * (16 * 1024 + 256 * 68)
# How much of it may be left when they are gone: the records of 256 peers and connections, and again
# what the heap keeps.
MOST_LEFT_KIB = 32 * 1024
# Rate under attack, as a part of the other turns' rate: the medians. A machine on which others
# work is noisy, and the strangers take processors themselves; less is wrong anywhere.
LEAST_RATE = {"operations": 0.2, "rounds of MPI": 0.1}
SEEN = ("refused connections", "broken streams", "failed receives", "frames_malformed",
        "contacts_refused")  # in a dump


def sockets_of(pid):
    """(local port, remote port, is listening) of each TCP socket of a process."""
    inodes = set()
    folder = f"/proc/{pid}/fd"
    try:
        for descriptor in os.listdir(folder):
            try:
                inodes.add(os.readlink(os.path.join(folder, descriptor)))
            except OSError:
                pass
        with open(f"/proc/{pid}/net/tcp", encoding="ascii") as file:
            rows = [line.split() for line in file.readlines()[1:]]
    except OSError:
        return []
    return [(int(row[1][9:], 16), int(row[2][9:], 16), row[3] == "0A") for row in rows
            if f"socket:[{row[9]}]" in inodes]


def name_of(pid):
    """The Portals process id of a process, which is the port that it listens on; 0: none yet."""
    return next((local for local, _, listens in sockets_of(pid) if listens), 0)


def memory_of(pid, what):
    """VmRSS, or VmHWM, its greatest value so far; in KiB. 0 if the process has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            return int(re.search(what + r":\s+(\d+) kB", file.read())[1])
    except (OSError, TypeError):
        return 0


class Strangers:
    """The program strangers.py, while it runs."""

    def __init__(self, seed, targets):
        self.process = Process("direct", sys.executable,
                               os.path.join(os.path.dirname(__file__), "strangers.py"), seed)
        self.throughout = targets
        self.attack([])
        self.claim([])

    def attack(self, names):
        """Those, and the targets that it began with."""
        self.process.tell(" ".join(map(str, ["targets", *self.throughout, *names])))

    def claim(self, names):
        self.process.tell(" ".join(map(str, ["claims", *self.throughout, *names])))

    def report(self):
        self.process.tell("report")
        return {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", self.process.line())}

    def expect_all_made(self):
        """Waits until each attack was made."""
        if not wait_until(lambda: all(self.report().values()), 60):
            self.process.fail(f"of its attacks it has made {self.report()}, expected each")

    def end(self):
        """Ends it. Returns how often each attack was made."""
        made = self.report()
        del made["accepted"]
        self.process.process.stdin.close()
        self.process.process.stdin = None
        self.process.expect(0)
        return made


class HostileRound:
    """One round. `network` makes survivors and jobs, and counts what they have done."""

    def __init__(self, network, number):
        self.network = network
        self.choice = random.Random(f"{network.seed} strangers {number}")
        self.survivors = network.new_survivors()
        self.rates = {"operations": ([], []), "rounds of MPI": ([], [])}  # without, and with
        self.peaks = ([], [])  # of ranks
        self.made = {}

    def run(self):
        for survivor in self.survivors:
            survivor.warm = survivor.report()
        for _ in range(TURNS):
            seed = self.choice.randrange(1 << 30)
            for hostile in self.choice.sample((False, True), 2):
                self.turn(random.Random(seed), hostile)
        for survivor in self.survivors:
            survivor.expect_quiet()
            self.expect_seen(survivor)
            self.expect_memory(survivor.process, survivor.last["resident"],
                               survivor.warm["resident"], MOST_LEFT_KIB, "after the attacks")
            self.expect_memory(survivor.process, memory_of(survivor.process.pid, "VmHWM"),
                               survivor.warm["resident"], MOST_MORE_KIB, "at its peak")
            survivor.end()
        self.judge_ranks()
        self.judge_rates()

    def turn(self, choice, hostile):
        strangers = None
        if hostile:
            strangers = Strangers(self.choice.randrange(1 << 30),
                                  [survivor.name[1] for survivor in self.survivors])
            strangers.expect_all_made()
        self.visit(choice, strangers)
        self.run_job(choice, strangers)
        if strangers:
            for name, count in strangers.end().items():
                self.made[name] = self.made.get(name, 0) + count
                self.network.done.attacks += count

    def visit(self, choice, strangers):
        peers = [survivor.peer(choice.randrange(1 << 30), OPERATIONS)
                 for survivor in self.survivors for _ in range(PEERS)]
        for peer in peers:
            peer.line()
        begin = time.monotonic()
        if strangers:  # each is connected with the only process that it uses
            names = [name for peer in peers if (name := name_of(peer.pid))]
            strangers.attack(names)
            strangers.claim(names)
        for peer in peers:
            self.network.expect_done(peer)
        self.note("operations", OPERATIONS * len(peers), begin, strangers)

    def run_job(self, choice, strangers):
        job = self.network.start_job(choice, ROUNDS_OF_MPI)
        ranks = int(job.command[2])
        pids, names = [], []

        def listen():
            pids[:] = [pid for pid in children_of(job.pid) if program_of(pid) == "mpi_traffic"]
            names[:] = [name for pid in pids if (name := name_of(pid))]
            return len(names) == ranks

        def are_connected():
            ports = [sockets_of(pid) for pid in pids]
            ends = [{(local, remote) for local, remote, _ in own} for own in ports]
            return len(ends) == ranks and all(
                any((remote, local) in ends[second] for local, remote in ends[first])
                for first in range(ranks) for second in range(first))

        if not wait_until(lambda: listen() or job.process.poll() is not None, 60):
            job.fail(f"{len(names)} of {ranks} ranks listen")
        if strangers:
            strangers.attack(names)
        wait_until(lambda: are_connected() or job.process.poll() is not None, 60)
        is_timed = job.process.poll() is None  # else it was too short for that
        begin = time.monotonic()
        if strangers:
            strangers.claim(names)
        peaks = [0] * ranks
        while job.process.poll() is None:
            peaks = [max(peak, memory_of(pid, "VmHWM")) for peak, pid in zip(peaks, pids)]
            time.sleep(0.02)
        if is_timed:
            self.note("rounds of MPI", ROUNDS_OF_MPI, begin, strangers)
        self.network.expect_traffic(job)
        self.peaks[strangers is not None].append((job, max(peaks)))

    def note(self, what, count, begin, strangers):
        self.rates[what][strangers is not None].append(count / (time.monotonic() - begin))

    # -- What must hold ----------------------------------------------------------------------------

    def expect_seen(self, survivor):
        """The process that was attacked has counted what it refused."""
        process = survivor.process
        process.process.send_signal(signal.SIGUSR1)

        def missing():
            return [what for what in SEEN if not re.search(what + ":? [1-9]", process.said())]

        if not wait_until(lambda: not missing(), 10):
            process.fail(f"it has counted no {', no '.join(missing())}, expected some after "
                         f"{self.made}")

    @staticmethod
    def expect_memory(process, now, before, most, when):
        if now > before + most:
            process.fail(f"it has {now} KiB of resident memory {when}, {before} without strangers; "
                         f"expected at most {most} more")

    def judge_ranks(self):
        without = max(peak for _, peak in self.peaks[False])
        for job, peak in self.peaks[True]:
            self.expect_memory(job, peak, without, MOST_MORE_KIB, "in one rank")

    def judge_rates(self):
        for what, (without, attacked) in self.rates.items():
            if not without or not attacked:
                continue
            part = statistics.median(attacked) / statistics.median(without)
            self.network.done.rates.setdefault(what, []).append(part)
            if part < LEAST_RATE[what]:
                raise Failed(f"{what} per second: {attacked} under attack, {without} without; "
                             f"expected at least {LEAST_RATE[what]} of it")
