#!/usr/bin/env python3
"""Jobs of Lintel that are clients of IMPI: one world, as their users start it.

Usage: impi_jobs_test.py IMPI_SERVER LINTEL_RUN PROGRAMS OWN_PROGRAMS [CLAUSE...]
       impi_jobs_test.py --list
PROGRAMS: the folder of tests/mpi_layer/programs in the build tree, OWN_PROGRAMS: this folder's
there. Exit code 77: cannot be tried here, with the reason.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SERVER = RUN = PROGRAMS = OWN_PROGRAMS = ""
LIMIT = 100
LOST_LIMIT = 30  # until the others have noticed a job that was killed on their machine
KEY = "4711471147114711"

# What tests/mpi_layer/programs tries in one job, with the number of ranks as its argument.
ONE_WORLD = ("ring", "modes", "halo", "completion", "communicators", "moving", "reducing",
             "reported", "exchanges", "collective_requests", "duplicates", "request_states",
             "buffers", "threads", "large_counts")


class NotPermitted(Exception):
    """Network namespaces cannot be had here."""


def environment(**more):
    own = {name: value
           for name, value in os.environ.items()
           if not name.startswith(("IMPI_", "LINTEL_"))}
    return {**own, "IMPI_AUTH_NONE": "", **more}


def program(name):
    return os.path.join(PROGRAMS, f"mpi_{name}")


def own_program(name):
    return os.path.join(OWN_PROGRAMS, f"impi_jobs_{name}")


def children_of(pid):
    children = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == pid:
                    children.append(int(entry))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return children


def processor_ticks(pid):
    """What it has used, with its children that have not ended."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


class Job:
    """One client: a lintel-run. What it says goes to files, so that it never waits for a reader."""

    def __init__(self, command, env):
        self.out, self.err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err, env=env)

    def said(self, file):
        file.seek(0)
        return file.read()

    def end(self, limit=LIMIT):
        """Exit code, standard output, standard error."""
        code = self.process.wait(timeout=limit)
        return code, self.said(self.out), self.said(self.err)

    def kill(self):
        """lintel-run and its ranks, at once."""
        for pid in [self.process.pid, *children_of(self.process.pid)]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()


class ImpiJobs(unittest.TestCase):
    def setUp(self):
        self.jobs = []
        self.server = None
        self.namespaces = []

    def tearDown(self):
        for job in self.jobs:
            if job.process.poll() is None:
                job.kill()
        if self.server is not None:
            if self.server.process.poll() is None:
                self.server.process.kill()
                self.server.process.wait()
        for name in self.namespaces:
            subprocess.run(["ip", "netns", "delete", name], check=False)

    # -- vocabulary --------------------------------------------------------------------------------

    def start_server(self, clients, *options, prefix=(), env=None):
        self.server = Job(
            [*prefix, SERVER, "-server", str(clients), *options], env or environment())
        end = time.monotonic() + LIMIT
        while "\n" not in self.server.said(self.server.out):
            self.assertIsNone(self.server.process.poll(),
                              "impi-server ended: " + self.server.said(self.server.err))
            self.assertLess(time.monotonic(), end, "impi-server says no address")
            time.sleep(0.01)
        self.address = self.server.said(self.server.out).strip()
        self.assertRegex(self.address, r"^\d+\.\d+\.\d+\.\d+:\d+$")

    def start_job(self, client, ranks, command, prefix=(), env=None, options=()):
        job = Job([*prefix, RUN, "-n", str(ranks), "--impi", f"{client}@{self.address}", *options,
                   *command],
                  env or environment())
        self.jobs.append(job)
        return job

    def expect_success(self):
        for client, job in enumerate(self.jobs):
            code, out, err = job.end()
            self.assertEqual(code, 0, f"client {client}: {out}{err}")
            self.assertEqual(err, "", f"client {client}")
        self.assertEqual(self.server.process.wait(timeout=LIMIT), 0,
                         self.server.said(self.server.err))

    def runs(self, sizes, command, **how):
        """The same command in clients of so many ranks each ends well everywhere."""
        self.start_server(len(sizes))
        for client, ranks in enumerate(sizes):
            self.start_job(client, ranks, command, **how)
        self.expect_success()

    # -- one world ---------------------------------------------------------------------------------

    def test_TwoJobsAreOneWorldWhateverTheOrderInWhichTheyStart(self):
        self.start_server(2)
        for client, ranks in ((1, 2), (0, 3)):
            self.start_job(client, ranks, [own_program("whoami")])
        lines = sorted(line for job in self.jobs for line in job.end()[1].splitlines())
        self.expect_success()
        self.assertEqual(
            lines,
            [f"{rank} of 5, client {client} of 2" for rank, client in enumerate((0, 0, 0, 1, 1))])

    def test_EachClientHasItsOwnOutput(self):
        self.start_server(2)
        for client, ranks in ((0, 3), (1, 2)):
            self.start_job(client, ranks, [own_program("whoami")])
        outputs = [sorted(job.end()[1].splitlines()) for job in self.jobs]
        self.assertEqual([len(lines) for lines in outputs], [3, 2])
        self.assertEqual(outputs[1], ["3 of 5, client 1 of 2", "4 of 5, client 1 of 2"])
        self.expect_success()

    def test_AKeyLetsClientsIn(self):
        own = {name: value for name, value in environment().items() if name != "IMPI_AUTH_NONE"}
        self.start_server(2, env={**own, "IMPI_AUTH_KEY": KEY})
        for client in (0, 1):
            self.start_job(client, 1, [own_program("whoami")], env={**own, "IMPI_AUTH_KEY": KEY})
        self.expect_success()

    def test_AWrongKeyEndsTheClientWithASentence(self):
        own = {name: value for name, value in environment().items() if name != "IMPI_AUTH_NONE"}
        self.start_server(2, env={**own, "IMPI_AUTH_KEY": KEY})
        code, out, err = self.start_job(
            0, 2, [own_program("whoami")], env={**own, "IMPI_AUTH_KEY": "1"}).end()
        self.assertNotEqual(code, 0)
        self.assertEqual(out, "")
        self.assertIn("MPI_Init", err)
        self.assertNotIn(KEY, err)

    def test_AServerThatIsNotThereEndsTheClientWithASentenceThatNamesIt(self):
        self.address = "127.0.0.1:1"
        code, _, err = self.start_job(0, 2, [own_program("whoami")]).end()
        self.assertNotEqual(code, 0)
        self.assertIn("127.0.0.1:1", err)

    def test_ARankThatTheServerDoesNotHaveEndsTheClient(self):
        self.start_server(2)
        code, _, err = self.start_job(5, 1, [own_program("whoami")]).end()
        self.assertNotEqual(code, 0)
        self.assertIn("MPI_Init", err)

    # -- point-to-point ----------------------------------------------------------------------------

    def test_PointToPointOfTwoJobs(self):
        self.runs((3, 2), [own_program("across"), "5"])

    def test_PointToPointOfThreeJobs(self):
        self.runs((2, 2, 1), [own_program("across"), "5"])

    def test_PointToPointOfTwoJobsOfOneRankEach(self):
        self.runs((1, 1), [own_program("across"), "2"])

    def test_RandomTraffic(self):
        self.runs((3, 2), [program("traffic"), "17", "24", "300000"])

    def test_RandomTrafficOfThreeJobs(self):
        self.runs((2, 1, 2), [program("traffic"), "23", "24", "300000"])

    def test_RanksThatLeaveEarly(self):
        self.runs((2, 2), [program("leaving")])

    # -- collective functions, attributes, communicators -------------------------------------------

    def test_CollectivesThatMove(self):
        self.runs((3, 2), [program("collectives_moving")])

    def test_CollectivesThatCompute(self):
        self.runs((3, 2), [program("collectives_reducing")])

    def test_CollectivesOfThreeJobs(self):
        self.runs((2, 1, 2), [program("collectives_reducing")])

    def test_CollectivesOfSoManyJobsThatTheirMastersMakeATree(self):
        self.runs((1, 1, 2, 1, 1), [program("collectives_reducing")])

    def test_BarriersAndBroadcastsOfSoManyJobsThatTheirMastersMakeATree(self):
        self.runs((1, 2, 1, 1, 1), [program("collectives_moving")])

    def test_AttributesOfTwoJobs(self):
        self.runs((3, 2), [own_program("attributes"), *"00011"])

    def test_AttributesOfThreeJobs(self):
        self.runs((1, 2, 2), [own_program("attributes"), *"01122"])

    # -- hosts -------------------------------------------------------------------------------------

    def apart(self):
        """Makes two network namespaces that reach each other at 10.79.0.1 and 10.79.0.2. Returns
        the words in front of a command for each."""
        names = [f"lintel-impi-{os.getpid()}-{host}" for host in (0, 1)]
        devices = [f"li{os.getpid() % 1000000}h{host}" for host in (0, 1)]
        commands = [["ip", "netns", "add", name] for name in names]
        commands.append(["ip", "link", "add", devices[0], "netns", names[0], "type", "veth", "peer",
                         "name", devices[1], "netns", names[1]])
        for host, (name, device) in enumerate(zip(names, devices)):
            commands += [[
                "ip", "-n", name, "address", "add", f"10.79.0.{host + 1}/24", "dev", device
            ], ["ip", "-n", name, "link", "set", device, "up"],
                         ["ip", "-n", name, "link", "set", "lo", "up"]]
        self.namespaces = names
        for command in commands:
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=False)
            except FileNotFoundError:
                raise NotPermitted("the program 'ip' is not installed") from None
            if (done.returncode != 0
                and re.search("not permitted|denied", done.stderr, re.IGNORECASE)):
                raise NotPermitted(f"{' '.join(command)}: {done.stderr.strip()}")
            self.assertEqual(done.returncode, 0, f"{' '.join(command)}: {done.stderr}")
        return [["ip", "netns", "exec", name] for name in names]

    def runs_apart(self, sizes, command):
        prefixes = self.apart()
        self.start_server(len(sizes), "-host", "10.79.0.1", prefix=prefixes[0])
        for client, ranks in enumerate(sizes):
            self.start_job(client, ranks, command, prefix=prefixes[client],
                           env=environment(LINTEL_INTERFACE=f"10.79.0.{client + 1}"))
        self.expect_success()

    def test_PointToPointBetweenTwoHosts(self):
        self.runs_apart((3, 2), [own_program("across"), "5"])

    def test_CollectivesBetweenTwoHosts(self):
        self.runs_apart((2, 3), [program("collectives_reducing")])

    def test_TheMachineOfAClientThatVanishesIsNamed(self):
        prefixes = self.apart()
        self.start_server(2, "-host", "10.79.0.1", prefix=prefixes[0])
        for client in (0, 1):
            self.start_job(client, 1, [own_program("endless"), "ring"], prefix=prefixes[client],
                           env=environment(LINTEL_INTERFACE=f"10.79.0.{client + 1}",
                                           LINTEL_PEER_TIMEOUT="5s"))
        self.wait_until_running()
        device = f"li{os.getpid() % 1000000}h1"
        subprocess.run(["ip", "-n", self.namespaces[1], "link", "set", device, "down"], check=True)
        code, _, err = self.jobs[0].end(limit=90)
        self.assertNotEqual(code, 0)
        self.assertRegex(err, "client 1")

    # -- ends --------------------------------------------------------------------------------------

    def wait_until_running(self):
        end = time.monotonic() + LIMIT
        while not all("running" in job.said(job.out) for job in (self.jobs[0], self.jobs[-1])):
            for client, job in enumerate(self.jobs):
                self.assertIsNone(job.process.poll(), f"client {client}: {job.said(job.err)}")
            self.assertLess(time.monotonic(), end, "the jobs do not meet")
            time.sleep(0.02)

    def killed(self, sizes, what, victim):
        """The others end, each with an error that names a lost client: the victim, or a client that
        ended because of it and was noticed first."""
        self.start_server(len(sizes))
        for client, ranks in enumerate(sizes):
            self.start_job(client, ranks, [own_program("endless"), what])
        self.wait_until_running()
        self.jobs[victim].kill()
        said = {}
        for client in set(range(len(sizes))) - {victim}:
            code, _, said[client] = self.jobs[client].end(LOST_LIMIT)
            self.assertNotEqual(code, 0, f"client {client}")
            lost = set(range(len(sizes))) - {client}
            self.assertRegex(said[client], f"with client [{''.join(map(str, lost))}] .* is lost",
                             f"client {client}")
        self.assertTrue(any(re.search(rf"client {victim}\b", err) for err in said.values()), said)
        self.assertEqual(self.server.process.wait(timeout=LIMIT), 1)
        self.assertIn(f"client {victim}", self.server.said(self.server.err))

    def test_AJobThatIsKilledEndsTheOtherThatPassesMessages(self):
        self.killed((3, 2), "ring", 1)

    def test_AJobThatIsKilledEndsTheOtherInACollectiveFunction(self):
        self.killed((3, 2), "allreduce", 0)

    def test_AJobThatIsKilledEndsTheOtherThatWaits(self):
        self.killed((2, 2), "wait", 1)

    def test_AJobThatIsKilledEndsBothOthers(self):
        self.killed((2, 1, 2), "ring", 1)

    def test_AnAbortEndsAllJobs(self):
        self.start_server(2)
        for client, ranks in enumerate((2, 2)):
            self.start_job(client, ranks, [own_program("abort"), "3"])
        for client, job in enumerate(self.jobs):
            code, _, err = job.end(LOST_LIMIT)
            self.assertNotEqual(code, 0, f"client {client}")
        self.assertEqual(self.jobs[1].process.returncode, 7)
        self.assertRegex(self.jobs[0].said(self.jobs[0].err), r"client 1\b")

    # -- costs -------------------------------------------------------------------------------------

    def test_IdleJobsUseNoProcessor(self):
        self.start_server(2)
        for client, ranks in enumerate((2, 2)):
            self.start_job(client, ranks, [own_program("endless"), "wait"],
                           env=environment(LINTEL_SPIN="0"))
        self.wait_until_running()
        ranks = [pid for job in self.jobs for pid in children_of(job.process.pid)]
        time.sleep(0.5)
        before = sum(map(processor_ticks, ranks))
        time.sleep(2)
        used = sum(map(processor_ticks, ranks)) - before
        self.assertLess(used / os.sysconf("SC_CLK_TCK"), 0.1,
                        "seconds of processor time in two seconds of four ranks that wait")


def add_programs():
    """A clause for each program, in worlds of two and of three jobs."""
    def clause(name, sizes):
        return lambda self: self.runs(sizes, [program(name), str(sum(sizes))])
    for name in ONE_WORLD:
        title = "".join(map(str.capitalize, name.split("_")))
        setattr(ImpiJobs, f"test_ProgramOfTwoJobs{title}", clause(name, (2, 2)))
    for name in ("ring", "completion", "communicators", "moving"):
        title = "".join(map(str.capitalize, name.split("_")))
        setattr(ImpiJobs, f"test_ProgramOfThreeJobs{title}", clause(name, (1, 2, 1)))


def main():
    global SERVER, RUN, PROGRAMS, OWN_PROGRAMS
    add_programs()
    names = unittest.TestLoader().getTestCaseNames(ImpiJobs)
    if sys.argv[1:] == ["--list"]:
        print("\n".join(name.removeprefix("test_") for name in names))
        return 0
    SERVER, RUN, PROGRAMS, OWN_PROGRAMS = map(os.path.abspath, sys.argv[1:5])
    chosen = [f"test_{name}" for name in sys.argv[5:]] or names
    result = unittest.TextTestRunner(verbosity=2).run(
        unittest.TestSuite(ImpiJobs(name) for name in chosen))
    only_unpermitted = (result.errors and not result.failures
                        and all("NotPermitted" in text for _, text in result.errors))
    return 77 if only_unpermitted else 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
