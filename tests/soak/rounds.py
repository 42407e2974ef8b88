"""What one network carries in a soak.

Jobs of MPI, and Portals processes that live throughout while their peers come, die and come again.
Everything that is drawn comes from the seed, the network and the number of the round, so that a
round can be made again. The time at which a process is killed does not: it depends on the
machine.
"""

import dataclasses
import os
import random
import re
import tempfile
import time

from hostile_round import HostileRound, expect_rates
from processes import Process, children_of, expect_no_children_but, program_of, wait_until

NETWORKS = ("direct", "net", "tcp;ofi_rxm", "shm")
# With libfabric 1.17 a process that is killed inside this provider's lock blocks its peers there.
NO_KILLS = ("shm",)
# Strangers attack on these networks, in each third of their rounds. shm cannot be reached by them.
ATTACKED, ATTACKED_EACH = ("direct", "net", "tcp;ofi_rxm"), 3
# Which resumes connections that are lost. Each message or write of its jobs and peers may lose one.
RESUMES, RESET = "direct", 0.005
SLOTS = 16  # as in soak_process.c
LOST = 3    # exit code of a peer whose survivor is gone
MOST_PEERS = 3  # of one survivor at a time
# How much more memory a survivor may have at the end of a later round than after its first one. In
# the first round it has its greatest number of peers at a time. Later its pools may grow by a piece
# now and then, but not without limit. Lintel also keeps the records of the last 256 processes that
# it has met, which are more than a survivor meets.
MOST_RESIDENT_KIB = 8192
MOST_HEAP = 1 << 20
HEAP_OF_A_PEER = 2048
# With libfabric 1.17 this provider keeps the memory of every peer mapped, and Lintel refuses more
# than 256 peers. Survivors on it are not judged by their resident memory, and are replaced in time.
KEEPS_MEMORY = ("shm",)
MOST_VISITS = 120
LINTEL_PERF = (("3",), ("4", "--notify", "events"), ("4", "--notify", "counters"))


@dataclasses.dataclass
class Done:
    """What has been done, and is reported at the end."""
    rounds: int = 0
    jobs: int = 0
    mpi_messages: int = 0
    mpi_bytes: int = 0
    peers: int = 0
    operations: int = 0
    portals_bytes: int = 0
    kills: int = 0
    restarts: int = 0
    attacks: int = 0  # of strangers
    opened: int = 0   # sessions that they got, with processes that have no secret
    refused: int = 0  # contacts of theirs, by processes that have one
    resumed: int = 0  # connections that were lost and went on, counted at both ends
    pairs: int = 0    # of turns with and without strangers; for each kind of work
    # What was done per second under attack, as parts of the same without; of those pairs in which
    # others have used few of the processors.
    rates: dict = dataclasses.field(default_factory=dict)


class Survivor:
    """A Portals process, and what is known of it."""

    def __init__(self, tree, network, version, settings=None):
        self.program = os.path.join(tree, "tests", "soak", f"soak_portals{version}")
        self.network, self.version = network, version
        self.process = Process(network, self.program, "survivor", settings=settings)
        self.name = self.process.line().split()
        self.visits = 0
        self.warm = self.last = None
        self.kept_by_libfabric = 0  # at most so many descriptors, of strangers' connections

    def peer(self, seed, operations, settings=None):
        """A peer with a slot that nobody has used for some time."""
        self.visits += 1
        return Process(
            self.network, self.program, "peer", *self.name, self.visits % SLOTS, seed, operations,
            settings=settings)

    def report(self):
        self.process.tell("report")
        return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", self.process.line())}

    def is_quiet(self):
        """Whether all of its own operations have ended, and it holds as many descriptors as at
        first."""
        self.last = self.report()
        return (self.last["open"] == 0
                and (self.warm is None or self.last["descriptors"] <=
                     self.warm["descriptors"] + self.kept_by_libfabric))

    def expect_quiet(self):
        if not wait_until(self.is_quiet, 60):
            wanted = "" if self.warm is None else f" and {self.warm['descriptors']} descriptors"
            self.process.fail(
                f"a survivor of {self.visits} peers has {self.last['open']} operations under way "
                f"and {self.last['descriptors']} descriptors, 60 s "
                f"after the last peer's end; expected none{wanted}")

    def expect_no_growth(self):
        for what, most, unit in (("resident", MOST_RESIDENT_KIB, "KiB"),
                                 ("heap", MOST_HEAP + HEAP_OF_A_PEER * self.visits, "bytes")):
            if what == "resident" and self.network in KEEPS_MEMORY:
                continue
            if self.last[what] > self.warm[what] + most:
                self.process.fail(
                    f"a survivor of {self.visits} peers has grown from {self.warm[what]} to "
                    f"{self.last[what]} {unit} of {what} memory, expected at "
                    f"most {most} more")

    def end(self):
        self.process.tell("end")
        self.process.expect(0)


class Network:
    """One network's survivors and rounds."""

    def __init__(self, tree, network, seed):
        self.tree, self.name, self.seed = tree, network, seed
        self.done = Done()
        self.may_kill = network not in NO_KILLS
        # Of its own, so that what is drawn otherwise does not depend on it.
        self.reset_seeds = random.Random(f"{seed} {network} resets")
        self.counters = tempfile.TemporaryDirectory()
        self.survivors = self.new_survivors()

    def new_survivors(self, settings=None):
        survivors = [Survivor(self.tree, self.name, version, settings) for version in (3, 4)]
        for survivor in survivors:
            self.warm_up(survivor, settings)
        return survivors

    def living(self):
        return [survivor.process.pid for survivor in self.survivors]

    def warm_up(self, survivor, settings=None):
        for peer in [survivor.peer(number, 200, settings) for number in range(MOST_PEERS)]:
            self.expect_done(peer)
        self.done.peers += MOST_PEERS

    def relieve(self):
        """Puts new survivors in the place of those that have met as many as they can."""
        for index, survivor in enumerate(self.survivors):
            if self.name in KEEPS_MEMORY and survivor.visits >= MOST_VISITS:
                survivor.end()
                self.survivors[index] = Survivor(self.tree, self.name, survivor.version)
                self.warm_up(self.survivors[index])
                self.done.restarts += 1

    def round(self, number, all_living):
        """One round; `all_living` are the processes that go on after it, of all networks."""
        choice = random.Random(f"{self.seed} {self.name} {number}")
        job = self.start_job(choice, choice.randint(3, 12))
        self.visit(choice)
        self.expect_traffic(job)
        if self.may_kill:
            self.kill_a_rank(choice)
            if choice.randrange(4) == 0:
                self.restart_a_survivor(choice)
        if choice.randrange(3) == 0:
            self.measure(choice)
        if self.name in ATTACKED and number % ATTACKED_EACH == 0:
            HostileRound(self, number).run()
        self.done.rounds += 1
        self.count_resumed()
        for survivor in self.survivors:
            survivor.expect_quiet()
            if survivor.warm is None:
                survivor.warm = survivor.last
            survivor.expect_no_growth()
        expect_no_children_but(all_living)

    def end(self):
        for survivor in self.survivors:
            survivor.end()
        expect_rates(self.done.rates)

    # -- Counters ----------------------------------------------------------------------------------

    def counted(self):
        """Settings of a process that leaves its counters."""
        return {"LINTEL_COUNTERS_FILE": os.path.join(self.counters.name, "%p")}

    def counters_of(self, pid):
        """Those of a process that has ended."""
        with open(os.path.join(self.counters.name, str(pid)), encoding="ascii") as file:
            return {name: int(value) for name, value in map(str.split, file)}

    # -- Lost connections --------------------------------------------------------------------------

    def resets(self):
        """Settings of a process whose connections are lost again and again."""
        if self.name != RESUMES:
            return {}
        return {"LINTEL_FAULTS": f"seed={self.reset_seeds.randrange(1 << 30)},reset={RESET}",
                **self.counted()}

    def count_resumed(self):
        for entry in os.scandir(self.counters.name):
            with open(entry.path, encoding="ascii") as file:
                found = re.search(r"connections_resumed (\d+)", file.read())
            self.done.resumed += int(found[1]) if found else 0
            os.remove(entry.path)

    # -- MPI ---------------------------------------------------------------------------------------

    def start_job(self, choice, rounds, settings=None):
        job = Process(self.name, os.path.join(self.tree, "tools", "lintel-run", "lintel-run"),
                      "-n", choice.randint(2, 5),
                      os.path.join(self.tree, "tests", "mpi_layer", "programs", "mpi_traffic"),
                      choice.randrange(1 << 30), rounds, choice.choice((1000, 100000, 300000)),
                      settings={**self.resets(), **(settings or {})})
        self.done.jobs += 1
        return job

    def expect_traffic(self, job):
        _, output = job.expect(0)
        found = re.search(r"(\d+) messages, (\d+) bytes", output)
        if found is None:
            job.fail(f"it wrote '{output}', expected the number of its messages")
        self.done.mpi_messages += int(found[1])
        self.done.mpi_bytes += int(found[2])

    def kill_a_rank(self, choice):
        """A job one rank of which is killed ends promptly, with the signal or with the error that
        another rank has met."""
        job = self.start_job(choice, 1000000)
        ranks = int(job.command[2])
        victim, delay = choice.randrange(ranks), choice.random()

        def started():
            return sorted(pid for pid in children_of(job.pid) if program_of(pid) == "mpi_traffic")

        if not wait_until(lambda: len(started()) == ranks, 60):
            job.fail(f"{len(started())} of {ranks} ranks have started")
        time.sleep(delay)
        os.kill(started()[victim], 9)
        self.done.kills += 1
        code, _ = job.wait()
        if code == 0 or "lintel-run: rank " not in job.said():
            job.fail(f"it ended with {code} after one of its ranks was killed, expected 137 or "
                     "another rank's error, and a sentence")

    # -- Portals -----------------------------------------------------------------------------------

    def visit(self, choice):
        """Some peers for each survivor; some of them are killed in the midst."""
        peers, doomed = [], []
        for survivor in self.survivors:
            for _ in range(choice.randint(1, MOST_PEERS)):
                if self.may_kill and choice.randrange(2) == 0:
                    doomed.append(
                        survivor.peer(choice.randrange(1 << 30), 0, self.resets()))
                else:
                    peers.append(survivor.peer(choice.randrange(1 << 30),
                                               choice.randint(50, 1500), self.resets()))
        for peer in doomed:
            peer.line()
            time.sleep(choice.random() * 0.2)
            peer.kill()
            peer.expect(-9)
        self.done.kills += len(doomed)
        self.done.peers += len(peers) + len(doomed)
        for peer in peers:
            self.expect_done(peer)

    def expect_done(self, peer):
        """The peer ends well. Returns the seconds that its operations took, without its end."""
        _, output = peer.expect(0)
        found = re.search(r"operations=(\d+) bytes=(\d+) milliseconds=(\d+)", output)
        if found is None:
            peer.fail(f"it wrote '{output}', expected the number of its operations")
        self.done.operations += int(found[1])
        self.done.portals_bytes += int(found[2])
        return int(found[3]) / 1000

    def restart_a_survivor(self, choice):
        """A survivor that does not survive: its peers are told, and the next one serves."""
        version = choice.choice((3, 4))
        short_lived = Survivor(self.tree, self.name, version)
        peers = [short_lived.peer(choice.randrange(1 << 30), 0)
                 for _ in range(choice.randint(1, 2))]
        for peer in peers:
            peer.line()
        time.sleep(choice.random() * 0.2)
        short_lived.process.kill()
        short_lived.process.expect(-9)
        for peer in peers:
            peer.expect(LOST)
        again = Survivor(self.tree, self.name, version)
        self.expect_done(again.peer(choice.randrange(1 << 30), choice.randint(50, 300)))
        again.end()
        self.done.kills += 1
        self.done.restarts += 1
        self.done.peers += len(peers) + 1

    def measure(self, choice):
        """A measurement of lintel-perf, which verifies every byte."""
        Process(self.name, os.path.join(self.tree, "tools", "lintel-perf", "lintel-perf"),
                choice.choice(("put-lat", "put-bw", "put-bibw", "get-lat", "get-bw", "msg-rate",
                               "swap-lat")),
                "--api", *choice.choice(LINTEL_PERF), "--iterations", "200",
                "--repeats", "2").expect(0)
