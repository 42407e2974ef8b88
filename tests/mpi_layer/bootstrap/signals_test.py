#!/usr/bin/env python3
"""Signals end the processes of an MPI job as they end any other, whatever libraries the \
network brings along.
Usage: signals_test.py LINTEL_RUN PROGRAM LOADING_PROGRAM LIBRARY CLAUSE NETWORK; \
signals_test.py --list."""

import os
import signal
import subprocess
import sys

LIMIT = 60
FATAL = (signal.SIGSEGV, signal.SIGABRT, signal.SIGINT, signal.SIGTERM)


def fail(sentence):
    print(sentence, file=sys.stderr)
    sys.exit(1)


def expect_ended(job, number, ranks):
    """The job has ended by that signal of one of these ranks, and says so."""
    _, said = job.communicate(timeout=LIMIT)
    if job.returncode != 128 + number:
        fail(f"{number.name}: lintel-run ended with {job.returncode}, expected {128 + number}; it "
             f"said\n{said}")
    # ranks may report that they lost it
    sentences = [line for line in said.splitlines() if line.startswith("lintel-run: ")]
    expected = [f"lintel-run: rank {rank} was ended by signal {number.value} ({number.name})"
                for rank in ranks]
    if len(sentences) != 1 or sentences[0].removesuffix("; the job ends") not in expected:
        fail(f"{number.name}: lintel-run said\n{said}expected\n{expected[0]}")


class Clauses:
    def __init__(self, lintel_run, program, loading, library, network):
        self.lintel_run, self.program = lintel_run, program
        self.loading, self.library = loading, library
        self.environment = {**os.environ, "LINTEL_PROVIDER": network}

    def start(self, what, number=signal.SIGTERM, ranks=2, **more):
        return subprocess.Popen(
            [self.lintel_run, "-n", str(ranks), self.program, what, str(number.value)],
            env=self.environment, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def ARankThatDiesOfASignalIsNamedWithIt(self):
        for number in FATAL:
            expect_ended(self.start("die", number), number, [1])

    def ARankThatIsKilledFromOutsideIsNamedWithTheSignal(self):
        for number in FATAL:
            job = self.start("wait")
            pids = [int(job.stdout.readline()) for _ in range(2)]
            os.kill(pids[0], number)
            expect_ended(job, number, [0, 1])

    def CtrlCAndTermEndTheWholeJob(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            job = self.start("wait")
            for _ in range(2):
                job.stdout.readline()
            job.send_signal(number)
            expect_ended(job, number, [0, 1])

    def AHandlerOfTheProgramsOwnStays(self):
        for number in FATAL:
            out, said = (job := self.start("own", number)).communicate(timeout=LIMIT)
            if job.returncode != 0 or sorted(
                    out.splitlines()) != [f"rank {rank} took {number.value}" for rank in range(2)]:
                fail(f"{number.name}: exit code {job.returncode}, and\n{out}{said}")

    def WhatTheCallerIgnoresIsIgnored(self):
        for expected, before in (
                ("", None),
                (" 2 is ignored", lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))):
            out, said = (job := self.start("show", ranks=1, preexec_fn=before)).communicate(
                timeout=LIMIT)
            if job.returncode != 0 or out != f"before:{expected}\nafter:{expected}\n":
                fail(f"exit code {job.returncode}, and\n"
                     f"{out}{said}expected{expected or ' no signal'}")

    def LoadingTheLibraryChangesNoSignal(self):
        result = subprocess.run([self.loading, self.library], env=self.environment,
                                capture_output=True, text=True, timeout=LIMIT)
        if result.returncode != 0:
            fail(f"exit code {result.returncode}, and\n{result.stdout}{result.stderr}")


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(name for name in vars(Clauses) if name[0].isupper()))
        return
    if len(sys.argv) != 7:
        fail(__doc__)
    # The background jobs of a shell ignore some signals, and so would every process that they
    # start. Python itself ignores PIPE.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    *files, clause, network = sys.argv[1:]
    getattr(Clauses(*files, network), clause)()


if __name__ == "__main__":
    main()
