#!/usr/bin/env python3
"""Where bench/compare runs its programs.

Their processors, their network namespaces, and that they end.
"""

import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import mpi_contestants
import processes
from processes import RunFailed, run

HERE = os.path.dirname(os.path.realpath(__file__))


class Processes(unittest.TestCase):
    def test_AProgramThatEndsBadlyIsQuoted(self):
        with self.assertRaisesRegex(RunFailed, "sh: exit code 3: out of beams"):
            run(["sh", "-c", "echo out of beams >&2; exit 3"])

    def test_AClientStartsWhenItsServerHasSpoken(self):
        server = ["sh", "-c", "echo here; read -r line < fifo; echo $line"]
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(os.path.join(folder, "fifo"))
            server[2] = server[2].replace("fifo", os.path.join(folder, "fifo"))
            client = ["sh", "-c", f"echo hello > {folder}/fifo; echo done"]
            [cpu, *_] = os.sched_getaffinity(0)
            self.assertEqual(processes.run_pair(server, client, processes.has_spoken, (cpu, cpu)),
                             "done\n")

    def test_WhatTakesTooLongIsEndedWithTheRanksThatItHasGivenProcessGroups(self):
        launcher = ("import os, subprocess, sys; rank = subprocess.Popen(['sleep', '600'], "
                    "preexec_fn=os.setpgrp); open(sys.argv[1], 'w').write(str(rank.pid)); "
                    "rank.wait()")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rank")
            process = processes.start([sys.executable, "-c", launcher, path], None, None)
            text = ""
            while not text:
                self.assertIsNone(process.poll())
                if os.path.exists(path):
                    with open(path, encoding="ascii") as file:
                        text = file.read()
            rank = int(text)
            self.assertEqual(set(processes.session_members(process.pid)), {process.pid, rank})
            processes.end(process)
            self.assertEqual(list(processes.session_members(process.pid)), [])

    def test_AServerThatEndsBeforeIsQuoted(self):
        [cpu, *_] = os.sched_getaffinity(0)
        with self.assertRaisesRegex(RunFailed, "sh: exit code 4: no port"):
            processes.run_pair(["sh", "-c", "echo no port >&2; exit 4"], ["true"],
                               lambda serving: False, (cpu, cpu))


class Rank(unittest.TestCase):
    def said(self, environment, *arguments):
        without = {name: value
                   for name, value in os.environ.items()
                   if name not in ("OMPI_COMM_WORLD_RANK", "PMI_RANK")}
        done = subprocess.run([mpi_contestants.RANK, *arguments], env={**without, **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        return done.stdout

    def test_EachRankHasItsProcessorWhicheverLauncherStartedIt(self):
        cpus = sorted(os.sched_getaffinity(0))[:2]
        if len(cpus) < 2:
            cpus *= 2
        program = (sys.executable, "-c", "import os; print(os.sched_getaffinity(0))")
        for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK"):
            for rank, cpu in ((0, cpus[0]), (1, cpus[1]), (2, cpus[1]), (16, cpus[1])):
                self.assertEqual(
                    self.said({name: str(rank)}, ",".join(map(str, cpus)), "", *program),
                    f"{{{cpu}}}\n")

    def test_WithoutARankItSaysWhatItExpected(self):
        self.assertIn("expected a launcher that says which rank this is",
                      self.said({}, "0,1", "", "true"))


class Namespaces(unittest.TestCase):
    """Each makes them in a process of its own, where this is a user who may."""

    def said(self, *lines, environment=None):
        done = subprocess.run([
            sys.executable, "-B", "-c", "\n".join(
                ("import os, namespaces, processes, subprocess", *lines))
        ], cwd=HERE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        return done.stdout

    def test_NoProgramHasAnotherCongestionControlThanTheOneAskedFor(self):
        for congestion, other in (("reno", "cubic"), ("cubic", "reno")):
            said = self.said(f"network = namespaces.make(1, '{congestion}')",
                             f"print(*[namespaces.both_ends_at(where, b'{other}') for where in "
                             "('127.0.0.1', network.server(), network.addresses()[0])])")
            self.assertEqual(said, " ".join([f"{{'{congestion}'}}"] * 3) + "\n")

    def test_TwoHostsReachEachOtherOverTheDeviceWithIt(self):
        said = self.said(
            "network = namespaces.make(2, 'reno')",
            "program = ['python3', '-c', 'import socket; s = socket.create_server((\"10.77.0.2\", "
            "4000)); print(1, flush=True); c, a = s.accept(); "
            "print(a[0], c.getsockopt(6, 13, 16)[:4])']",
            "serving = processes.start(program, None, os.environ, network.second)",
            "serving.stdout.readline()",
            "import socket",
            "with socket.create_connection((network.server(), 4000)) as caller: "
            "print(namespaces.congestion_of(caller))",
            "print(processes.output_of(serving, program))")
        self.assertEqual(said.split("\n")[:2], ["reno", "10.77.0.1 b'reno'"])

    def test_AnUnknownCongestionControlIsRefusedWithThoseThatTheKernelOffers(self):
        said = self.said("try: namespaces.make(1, 'slow start')",
                         "except namespaces.Refused as reason: print(reason)")
        self.assertRegex(
            said,
            r"^--congestion: 'slow start'; expected one that this kernel offers: (\w+, )*reno$")

    def test_AUserWhoMayNotIsToldWhatIsNeeded(self):
        said = self.said("def refuse(*_): namespaces.ctypes.set_errno(1); return -1",
                         "namespaces.libc = type('libc', (), {'unshare': staticmethod(refuse)})",
                         "os.geteuid = lambda: 1000", "try: namespaces.make(1, 'cubic')",
                         "except namespaces.Refused as reason: print(reason)")
        self.assertIn("no network namespace, unshare: Operation not permitted; expected root, or a "
                      "kernel that lets every user have user namespaces",
                      said)

    def test_WithoutIpThePackageIsNamed(self):
        said = self.said("namespaces.shutil.which = lambda *_, **__: None",
                         "try: namespaces.make(1, 'cubic')",
                         "except namespaces.Refused as reason: print(reason)")
        self.assertIn("Debian package iproute2", said)


if __name__ == "__main__":
    unittest.main()
