"""A round in which strangers attack: survivors, their peers, and the ranks of a job of MPI.

All that they do must be as right as without strangers, of which there are turns in between, with
the same random numbers: contents and counts are checked by the processes themselves, as in every
round, and nobody may be lost.

Survivors and peers of one pair of turns have a secret, so that strangers must be refused. Those of
another pair have none, so that strangers get sessions. The ranks have the secret of their job.
"""

import os
import random
import re
import signal
import statistics
import sys
import tempfile
import time

from observed import ProcessorTime, memory_of, name_of, processors, seconds_of, sockets_of
from processes import TIMEOUT, Failed, Process, children_of, program_of, wait_until

PEERS = 2  # of each survivor in a turn
OPERATIONS = 8000  # of one peer in a turn: of half as many the rate differs by a tenth by itself
ROUNDS_OF_MPI = 300
SETTINGS = {"LINTEL_MEMORY_LIMIT": "16MiB"}
# How much more memory a process that is attacked may take than without. By the limits of
# doc/security.md: 16 MiB for what peers make the engine keep; 16 payloads of 1 MiB that nobody
# expects; a message of 68 KiB that does not end on each of 256 connections without a session,
# 17 MiB; 128 frames of 68 KiB, 8.5 MiB. The rest is what the heap keeps.
MOST_TAKEN_KIB = 64 * 1024
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
# What a process that was attacked counts: on direct; with a secret, where it also says why it has
# refused strangers; without one; and this on direct.
SEEN = ("refused connections", "broken streams", "failed receives", "frames_malformed",
        "contacts_refused")
SEEN_BY_MEMBERS = ("contacts_refused",)
SAID_BY_MEMBERS = "it has no job secret and this process has one"
SEEN_WITH_SESSIONS = ("messages_unacknowledged", "drops_no_match")
SEEN_WITH_SESSIONS_ON_DIRECT = ("peers_overdrawn",)
# Of a rank: none of its peers causes them, so a stranger's request has reached it.
NEVER_SEEN_BY_RANKS = ("drops_no_interface", "drops_bad_portal_index", "drops_no_match")
# Figures of strangers that are no attacks.
ACCEPTED, LEAST, OPENED, REFUSED = "accepted", "least", "opened", "refused"


class Strangers:
    """The programs strangers.py and session_strangers.py, while they run."""

    def __init__(self, network, choice, survivors, cpus):
        def start(name, *arguments):
            process = Process(network.name, sys.executable,
                              os.path.join(os.path.dirname(__file__), name),
                              choice.randrange(1 << 30), network.name, *arguments)
            os.sched_setaffinity(process.pid, cpus)
            return process

        self.raw = start("strangers.py")
        self.sessions = start("session_strangers.py",
                              os.path.join(network.tree, "tests", "soak"))
        self.throughout = [(survivor.version, survivor.name[1]) for survivor in survivors]
        self.attack([])
        self.claim([])

    def attack(self, targets):
        """Those, and the targets that it began with: versions of Portals and names."""
        targets = self.throughout + targets
        self.raw.tell(" ".join(["targets", *(str(name) for _, name in targets)]))
        self.sessions.tell(" ".join(["targets",
                                     *(f"{version}:{name}" for version, name in targets)]))

    def claim(self, names):
        self.raw.tell(" ".join(map(str, ["claims", *(name for _, name in self.throughout),
                                         *names])))

    def report(self):
        figures = {}
        for process in (self.raw, self.sessions):
            process.tell("report")
            figures.update(
                (name, int(count)) for name, count in re.findall(r"(\w+)=(\d+)", process.line()))
        return figures

    def expect_all_made(self, are_members):
        """Waits until each attack was made, and those that want a session on each target, which
        refuses all of them if it has a secret, and none if not."""

        figures = {}

        def are_made():
            figures.update(self.report())
            return all(count for name, count in figures.items() if name not in (OPENED, REFUSED))

        if not wait_until(are_made, TIMEOUT):
            self.sessions.fail(f"strangers have made {figures}, expected each attack")
        unwanted = OPENED if are_members else REFUSED
        if figures[unwanted] > 0:
            self.sessions.fail(f"{figures[unwanted]} contacts were {unwanted}, expected none "
                               f"{'with' if are_members else 'without'} a secret")

    def end(self):
        """Ends them. Returns their last report."""
        figures = self.report()
        for process in (self.raw, self.sessions):
            process.process.stdin.close()
            process.process.stdin = None
            process.expect(0)
        return figures


class HostileRound:
    """One round. `network` makes survivors and jobs, and counts what they have done."""

    def __init__(self, network, number):
        self.network = network
        self.choice = random.Random(f"{network.seed} strangers {number}")
        self.all_cpus = os.sched_getaffinity(0)
        self.own_cpus, self.strangers_cpus = processors()
        self.survivors = []
        self.settings = {}  # of survivors and their peers
        # By turn: without, and with strangers. None if it was too short to be timed.
        self.rates = {"operations": ([], []), "rounds of MPI": ([], [])}
        self.by_others = ([], [])
        self.peaks = {"peer": ([], []), "rank": ([], [])}  # likewise
        self.made = {}

    def run(self):
        os.sched_setaffinity(0, self.own_cpus)  # and so of all processes that it starts
        try:
            self.run_turns()
        finally:
            os.sched_setaffinity(0, self.all_cpus)

    def run_turns(self):
        with tempfile.NamedTemporaryFile() as secret:
            secret.write(self.choice.randbytes(32))
            secret.flush()
            for settings in ({"LINTEL_SECRET_FILE": secret.name}, {}):
                self.settings = {**SETTINGS, **settings}
                self.run_pair()
        self.judge_peaks()
        self.judge_rates()

    def run_pair(self):
        self.survivors = self.network.new_survivors(self.settings)
        for survivor in self.survivors:
            survivor.warm = survivor.report()
            if self.network.name != "direct":
                survivor.kept_by_libfabric = MOST_KEPT_BY_LIBFABRIC
        seed = self.choice.randrange(1 << 30)
        for hostile in self.choice.sample((False, True), 2):
            self.turn(random.Random(seed), hostile)
        for survivor in self.survivors:
            survivor.expect_quiet()
            self.expect_seen(survivor)
            self.expect_memory(survivor.process, survivor.last["resident"],
                               survivor.warm["resident"], MOST_LEFT_KIB, "after the attacks")
            self.expect_memory(survivor.process, memory_of(survivor.process.pid, "VmHWM"),
                               survivor.warm["resident"], MOST_TAKEN_KIB, "at its peak")
            survivor.end()

    def turn(self, choice, hostile):
        strangers = None
        if hostile:
            strangers = Strangers(self.network, self.choice, self.survivors, self.strangers_cpus)
            strangers.expect_all_made(self.are_members())
        processor_time = ProcessorTime(self.own_cpus, self.survivors)
        self.visit(choice, strangers)
        self.run_job(choice, strangers)
        self.by_others[hostile].append(processor_time.by_others())
        if strangers:
            self.count(strangers.end(), strangers.sessions)

    def count(self, figures, sessions):
        """What strangers have done in a turn."""
        opened, refused = figures.pop(OPENED), figures.pop(REFUSED)
        for name in (ACCEPTED, LEAST):
            figures.pop(name, None)
        if self.are_members() and opened > 0:
            sessions.fail(f"{opened} strangers have got sessions with processes that have a "
                          "secret, expected none")
        self.network.done.opened += opened
        self.network.done.refused += refused
        for name, count in figures.items():
            self.made[name] = self.made.get(name, 0) + count
            self.network.done.attacks += count

    def are_members(self):
        """Whether the survivors have a secret."""
        return "LINTEL_SECRET_FILE" in self.settings

    def visit(self, choice, strangers):
        versions = [survivor.version for survivor in self.survivors for _ in range(PEERS)]
        peers = [survivor.peer(choice.randrange(1 << 30), OPERATIONS, self.settings)
                 for survivor in self.survivors for _ in range(PEERS)]
        for peer in peers:
            peer.line()
        if strangers:  # each is connected with the only process that it uses
            names = [(version, name) for version, peer in zip(versions, peers)
                     if (name := name_of(peer.pid))]
            strangers.attack(names)
            strangers.claim([name for _, name in names])
        self.watch("peer", peers, [peer.pid for peer in peers], strangers)
        # Without their ends, which wait until a stranger that has stopped has acknowledged the
        # answers to it, or is given up (doc/reliability.md).
        seconds = max(self.network.expect_done(peer) for peer in peers)
        self.note("operations", OPERATIONS * len(peers) / seconds, strangers)

    def run_job(self, choice, strangers):
        job = self.network.start_job(choice, ROUNDS_OF_MPI,
                                     {**SETTINGS, **self.network.counted()})
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
            strangers.attack([(4, name) for name in names])
        wait_until(lambda: are_connected() or job.process.poll() is not None, 60)
        is_timed = job.process.poll() is None  # else it was too short for that
        begin = time.monotonic()
        if strangers:
            strangers.claim(names)
        used = self.used_by_survivors()
        self.watch("rank", [job], pids, strangers)
        # The survivors are attacked too, and have the processors of the job. What they take of
        # these is no loss of the job's.
        seconds = (time.monotonic() - begin -
                   (self.used_by_survivors() - used) / len(self.own_cpus))
        self.note("rounds of MPI", ROUNDS_OF_MPI / seconds if is_timed else None, strangers)
        self.network.expect_traffic(job)
        self.expect_no_strangers(job, pids)

    def used_by_survivors(self):
        return sum(sum(seconds_of(survivor.process.pid)) for survivor in self.survivors)

    def watch(self, what, processes, pids, strangers):
        """Waits until the processes have ended, or hang, and sees how much memory `pids` take."""
        end = time.monotonic() + TIMEOUT
        peak = 0
        while lasting := [one for one in processes if one.process.poll() is None]:
            if time.monotonic() > end:
                lasting[0].hang("ended")
            peak = max([peak, *(memory_of(pid, "VmHWM") for pid in pids)])
            time.sleep(0.02)
        self.peaks[what][strangers is not None].append((processes[0], peak))

    def note(self, what, rate, strangers):
        self.rates[what][strangers is not None].append(rate)

    # -- What must hold ----------------------------------------------------------------------------

    def expect_seen(self, survivor):
        """The process that was attacked has counted what it refused, or what it lost."""
        process = survivor.process
        on_direct = self.network.name == "direct"  # elsewhere libfabric does not tell
        wanted = ((SEEN if on_direct else ()) +
                  (SEEN_BY_MEMBERS if self.are_members() else SEEN_WITH_SESSIONS +
                   (SEEN_WITH_SESSIONS_ON_DIRECT if on_direct else ())))

        def missing():
            return [what for what in wanted if not re.search(what + ":? [1-9]", process.said())]

        def has_counted():
            # Again and again: a network may need the time of a peer to notice what is lost.
            process.process.send_signal(signal.SIGUSR1)
            return wait_until(lambda: not missing(), 1)

        if self.are_members() and SAID_BY_MEMBERS not in process.said(most=None):
            process.fail(f"it has not refused a stranger because '{SAID_BY_MEMBERS}', expected it "
                         f"to after {self.made}")
        if not wait_until(has_counted, 30):
            process.fail(f"it has counted no {', no '.join(missing())}, expected some after "
                         f"{self.made}")

    def expect_no_strangers(self, job, pids):
        """No request of a stranger has got to a rank of the job."""
        if not pids:
            job.fail("its ranks were not seen while it ran, expected to see them")
        for pid in pids:
            counters = self.network.counters_of(pid)
            if any(counters[name] for name in NEVER_SEEN_BY_RANKS):
                job.fail(f"requests of strangers have got to rank {pid}: {counters}")

    @staticmethod
    def expect_memory(process, now, before, most, when):
        if now > before + most:
            process.fail(f"it has {now} KiB of resident memory {when}, {before} without strangers; "
                         f"expected at most {most} more")

    def judge_peaks(self):
        for what, (without, attacked) in self.peaks.items():
            most = max(peak for _, peak in without)
            for process, peak in attacked:
                self.expect_memory(process, peak, most, MOST_TAKEN_KIB, f"in one {what}")

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
