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

from observed import ProcessorTime, memory_of, name_of, processors, sockets_of
from processes import Failed, Process, children_of, program_of, wait_until

PAIRS = 2  # of turns, one with strangers and one without
PEERS = 2  # of each survivor in a turn
OPERATIONS = 4000  # of one peer in a turn
ROUNDS_OF_MPI = 300
# Of the processes that are attacked, and how much more memory each may take than without: 16
# payloads of 1 MiB that nobody expects, and a message of 68 KiB that does not end on each of 256
# connections without a session, by the limits of doc/security.md, are half of it. The other half is
# for what the heap keeps.
MEMORY_LIMIT_KIB = 64 * 1024
SETTINGS = {"LINTEL_MEMORY_LIMIT": f"{MEMORY_LIMIT_KIB // 1024}MiB"}
# How much of it may be left when they are gone: the records of 256 peers and connections, and again
# what the heap keeps.
MOST_LEFT_KIB = 32 * 1024
# Rate under attack, as a part of the rate in the other turn of its pair: the median of all pairs of
# a run, without those in which other programs have used more of the processors than this part. Few
# pairs say little, so they and a round are judged by another limit, which says that nothing stalls.
LEAST_RATE = 0.8
ENOUGH_PAIRS = 8
MOST_BY_OTHERS = 0.15
# Descriptors of strangers' connections that libfabric 1.17 may keep for good, of hundreds.
MOST_KEPT_BY_LIBFABRIC = 16
LEAST_RATE_OF_A_ROUND = 0.2
SEEN = ("refused connections", "broken streams", "failed receives", "frames_malformed",
        "contacts_refused")  # in a dump


class Strangers:
    """The program strangers.py, while it runs."""

    def __init__(self, network, seed, targets, cpus):
        self.process = Process(network, sys.executable,
                               os.path.join(os.path.dirname(__file__), "strangers.py"), seed,
                               network)
        os.sched_setaffinity(self.process.pid, cpus)
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
        made.pop("accepted", None)
        self.process.process.stdin.close()
        self.process.process.stdin = None
        self.process.expect(0)
        return made


class HostileRound:
    """One round. `network` makes survivors and jobs, and counts what they have done."""

    def __init__(self, network, number):
        self.network = network
        self.choice = random.Random(f"{network.seed} strangers {number}")
        self.all_cpus = os.sched_getaffinity(0)
        self.own_cpus, self.strangers_cpus = processors()
        self.survivors = []
        # By turn: without, and with strangers. None if it was too short to be timed.
        self.rates = {"operations": ([], []), "rounds of MPI": ([], [])}
        self.by_others = ([], [])
        self.peaks = ([], [])  # of ranks
        self.made = {}

    def run(self):
        os.sched_setaffinity(0, self.own_cpus)  # and so of all processes that it starts
        try:
            self.run_turns()
        finally:
            os.sched_setaffinity(0, self.all_cpus)

    def run_turns(self):
        self.survivors = self.network.new_survivors(SETTINGS)
        for survivor in self.survivors:
            survivor.warm = survivor.report()
            if self.network.name != "direct":
                survivor.kept_by_libfabric = MOST_KEPT_BY_LIBFABRIC
        for _ in range(PAIRS):
            seed = self.choice.randrange(1 << 30)
            for hostile in self.choice.sample((False, True), 2):
                self.turn(random.Random(seed), hostile)
        for survivor in self.survivors:
            survivor.expect_quiet()
            if self.network.name == "direct":  # elsewhere libfabric does not tell
                self.expect_seen(survivor)
            self.expect_memory(survivor.process, survivor.last["resident"],
                               survivor.warm["resident"], MOST_LEFT_KIB, "after the attacks")
            self.expect_memory(survivor.process, memory_of(survivor.process.pid, "VmHWM"),
                               survivor.warm["resident"], MEMORY_LIMIT_KIB, "at its peak")
            survivor.end()
        self.judge_ranks()
        self.judge_rates()

    def turn(self, choice, hostile):
        strangers = None
        if hostile:
            strangers = Strangers(self.network.name, self.choice.randrange(1 << 30),
                                  [survivor.name[1] for survivor in self.survivors],
                                  self.strangers_cpus)
            strangers.expect_all_made()
        processor_time = ProcessorTime(self.own_cpus, self.survivors)
        self.visit(choice, strangers)
        self.run_job(choice, strangers)
        self.by_others[hostile].append(processor_time.by_others())
        if strangers:
            for name, count in strangers.end().items():
                self.made[name] = self.made.get(name, 0) + count
                self.network.done.attacks += count

    def visit(self, choice, strangers):
        peers = [survivor.peer(choice.randrange(1 << 30), OPERATIONS, SETTINGS)
                 for survivor in self.survivors for _ in range(PEERS)]
        for peer in peers:
            peer.line()
        if strangers:  # each is connected with the only process that it uses
            names = [name for peer in peers if (name := name_of(peer.pid))]
            strangers.attack(names)
            strangers.claim(names)
        begin = time.monotonic()
        for peer in peers:
            self.network.expect_done(peer)
        self.note("operations", OPERATIONS * len(peers) / (time.monotonic() - begin), strangers)

    def run_job(self, choice, strangers):
        job = self.network.start_job(choice, ROUNDS_OF_MPI, SETTINGS)
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
        self.note("rounds of MPI", ROUNDS_OF_MPI / (time.monotonic() - begin) if is_timed else None,
                  strangers)
        self.network.expect_traffic(job)
        self.peaks[strangers is not None].append((job, max(peaks)))

    def note(self, what, rate, strangers):
        self.rates[what][strangers is not None].append(rate)

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
            self.expect_memory(job, peak, without, MEMORY_LIMIT_KIB, "in one rank")

    def judge_rates(self):
        for what, (without, attacked) in self.rates.items():
            pairs = [(with_them / alone, max(others))
                     for alone, with_them, *others in zip(without, attacked, *self.by_others)
                     if alone is not None and with_them is not None]
            self.network.done.rates.setdefault(what, []).extend(
                part for part, others in pairs if others <= MOST_BY_OTHERS)
            self.network.done.pairs += len(pairs)
            parts = [part for part, _ in pairs]
            if parts and statistics.median(parts) < LEAST_RATE_OF_A_ROUND:
                raise Failed(f"{what} per second: {attacked} under attack, {without} without; "
                             f"expected at least {LEAST_RATE_OF_A_ROUND:.0%} of it")


def expect_rates(rates):
    """What was done under attack, as parts of what was done without, in a whole run."""
    for what, parts in rates.items():
        if len(parts) >= ENOUGH_PAIRS and statistics.median(parts) < LEAST_RATE:
            raise Failed(f"{what} per second under attack, as parts of those without: "
                         f"{', '.join(f'{part:.0%}' for part in sorted(parts))}; expected a median "
                         f"of at least {LEAST_RATE:.0%}")
