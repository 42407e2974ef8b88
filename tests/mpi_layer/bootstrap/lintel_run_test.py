#!/usr/bin/env python3
"""lintel-run as its users run it.

Usage: lintel_run_test.py TOOL WORLD_PROGRAM [CLAUSE...]
       lintel_run_test.py --list
"""

import fcntl
import os
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

TOOL = ""
WORLD = ""


def run(*arguments, limit=60, **more):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=limit,
                          stdin=more.pop("stdin", subprocess.DEVNULL), **more)


def start(*arguments, **more):
    return subprocess.Popen([TOOL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, stdin=more.pop("stdin", subprocess.DEVNULL), **more)


def wait_until(condition, limit=20):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def state_of(pid):
    """The letter of its state; "-" when it is not there."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "-"


def is_gone(pid):
    return state_of(pid) in "-ZX"


class Job:
    """A job whose ranks each write a line, and go on until they are told to end, at the latest when
    the clause is over."""

    started = []

    def __init__(self, ranks, script, **more):
        self.process = start("-n", str(ranks), "sh", "-c", script, **more)
        Job.started.append(self.process)
        self.lines = [self.process.stdout.readline() for _ in range(ranks)]

    def end(self, limit=20):
        out, err = self.process.communicate(timeout=limit)
        return self.process.returncode, out, err


class LintelRun(unittest.TestCase):
    def tearDown(self):
        for process in Job.started:
            if process.poll() is None:
                process.kill()
                process.wait()
        Job.started.clear()

    # -- what runs ---------------------------------------------------------------------------------

    def opens_the_world(self, ranks):
        result = run("-n", str(ranks), WORLD, "check", str(ranks), "PMI-1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(result.stdout.splitlines()),
                         sorted(f"rank {rank} of {ranks}: ok" for rank in range(ranks)))
        self.assertEqual(result.stderr, "")

    def test_OneRankOpensTheWorld(self):
        self.opens_the_world(1)

    def test_TwoRanksOpenTheWorld(self):
        self.opens_the_world(2)

    def test_EightRanksOpenTheWorld(self):
        self.opens_the_world(8)

    def test_SixtyRanksOpenTheWorld(self):
        self.opens_the_world(60)

    def test_MoreRanksThanTheSoftLimitOfDescriptorsHasRoomForAreServed(self):
        result = run("-n", "30", WORLD, "check", "30", "PMI-1",
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 4096)))
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_RanksHaveTheHardLimitOfDescriptorsAsTheirSoftLimit(self):
        result = run("-n", "2", "sh", "-c", "ulimit -Sn; ulimit -Hn",
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 3000)))
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (0, "3000\n" * 4, ""))

    def test_AProgramThatKnowsNothingOfPmiRuns(self):
        result = run("-n", "3", "/bin/echo", "-n", "x")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "xxx", ""))

    def test_TwoJobsAtTheSameTimeDoNotMeet(self):
        jobs = [start("-n", "4", WORLD, "check", "4", "PMI-1") for _ in range(3)]
        for job in jobs:
            _, said = job.communicate(timeout=60)
            self.assertEqual(job.returncode, 0, said)

    def test_EveryJobHasAnIdOfItsOwnUnlessTheUserHasSetOne(self):
        own = {name: value for name, value in os.environ.items() if name != "LINTEL_JOB_ID"}
        ids = [run("-n", "2", "sh", "-c", "echo $LINTEL_JOB_ID", env=own).stdout.split()
               for _ in range(2)]
        self.assertEqual(ids[0][0], ids[0][1])
        self.assertNotEqual(ids[0], ids[1])
        self.assertTrue(0 < int(ids[0][0]) < 0xffffffff)
        self.assertEqual(
            run("-n", "1", "sh", "-c", "echo $LINTEL_JOB_ID",
                env={**own, "LINTEL_JOB_ID": "7"}).stdout, "7\n")

    def test_EveryJobHasASecretThatItsUserAloneCanReadUnlessTheUserHasSetOne(self):
        own = {name: value for name, value in os.environ.items() if name != "LINTEL_SECRET_FILE"}
        show = ("stat -Lc '%a %u %F' $LINTEL_SECRET_FILE; "
                "od -An -tx1 $LINTEL_SECRET_FILE | tr -d ' \\n'")
        secrets = []
        for _ in range(2):
            ranks = run("-n", "2", "sh", "-c", f"echo $({show})", env=own).stdout.splitlines()
            self.assertEqual(ranks[0], ranks[1])
            self.assertRegex(ranks[0], f"^600 {os.geteuid()} regular file [0-9a-f]{{64}}$")
            secrets.append(ranks[0].split()[-1])
        self.assertNotEqual(secrets[0], secrets[1])
        self.assertEqual(
            run("-n", "1", "sh", "-c", "echo $LINTEL_SECRET_FILE",
                env={**own, "LINTEL_SECRET_FILE": "/mine"}).stdout, "/mine\n")

    def test_TheSecretOfAJobIsNotInTheEnvironmentOfItsRanks(self):
        program = ("import os; s = open(os.environ['LINTEL_SECRET_FILE'], 'rb').read(); "
                   "e = open('/proc/self/environ', 'rb').read(); "
                   "print(len(s), s in e, s.hex().encode() in e)")
        own = {name: value for name, value in os.environ.items() if name != "LINTEL_SECRET_FILE"}
        self.assertEqual(run("-n", "1", sys.executable, "-c", program, env=own).stdout,
                         "32 False False\n")

    def test_RanksOfAClientOfImpiAreToldWhichItIs(self):
        own = {name: value for name, value in os.environ.items() if name != "LINTEL_IMPI"}
        self.assertEqual(
            run("-n", "2", "--impi", "1@127.0.0.1:4000", "sh", "-c", "echo $LINTEL_IMPI",
                env=own).stdout, "1@127.0.0.1:4000\n" * 2)
        self.assertEqual(
            run("-n", "1", "sh", "-c", "echo ${LINTEL_IMPI-none}", env=own).stdout, "none\n")
        result = run("-n", "1", "--impi", "32@127.0.0.1:4000", "true")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("from 0 to 31", result.stderr)

    def test_AJobInsideAnotherLaunchersRankIsItsOwn(self):
        result = run("-n", "2", TOOL, "-n", "3", WORLD, "check", "3", "PMI-1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 6)
        result = run("-n", "2", WORLD, "check", "2", "PMI-1",
                     env={**os.environ, "PMIX_NAMESPACE": "x", "PMIX_RANK": "0", "PMI_PORT": "x:1"})
        self.assertEqual(result.returncode, 0, result.stderr)

    # -- output and input --------------------------------------------------------------------------

    def test_OutputIsTaggedOnRequest(self):
        result = run("-n", "2", "--tag-output", "sh",
                     "-c", "echo out $PMI_RANK; echo; printf half; echo err $PMI_RANK >&2")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(
            sorted(result.stdout.splitlines()),
            sorted(f"[{rank}] {text}" for rank in range(2) for text in (f"out {rank}", "", "half")))
        self.assertEqual(sorted(result.stderr.splitlines()), ["[0] err 0", "[1] err 1"])

    def test_LinesStayWhole(self):
        script = ("i=0; while [ $i -lt 50 ]; do printf '%s' \"rank $PMI_RANK \"; printf '%0500d' "
                  "$i; echo ' end'; i=$((i+1)); done")
        result = run("-n", "4", "sh", "-c", script)
        self.assertEqual(result.returncode, 0)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 200)
        for line in lines:
            self.assertRegex(line, r"^rank \d 0\d{499} end$")

    def test_AllOutputArrivesHoweverMuchAndHoweverSlowTheReader(self):
        job = start("-n", "2", "sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' \"$PMI_RANK\"")
        time.sleep(0.5)
        out, _ = job.communicate(timeout=60)
        self.assertEqual((out.count("0"), out.count("1"), len(out)), (3000000, 3000000, 6000000))

    def test_AReaderThatLeavesEndsWriters(self):
        command = f"{TOOL} -n 2 yes 2>/dev/null | head -n 1"
        self.assertEqual(
            subprocess.run(["sh", "-c", command], capture_output=True, text=True,
                           timeout=30).stdout, "y\n")

    def test_StandardInputGoesToRank0AndTheOthersHaveNone(self):
        with tempfile.TemporaryFile() as file:
            file.write(b"0123456789" * 100000)
            file.seek(0)
            result = run("-n", "3", "--tag-output", "sh", "-c", "wc -c", stdin=file)
        self.assertEqual(sorted(result.stdout.splitlines()), ["[0] 1000000", "[1] 0", "[2] 0"])

    def test_ARankThatDoesNotReadItsInputIsNotWaitedFor(self):
        with tempfile.TemporaryFile() as file:
            file.write(b"0123456789" * 100000)
            file.seek(0)
            self.assertEqual(run("-n", "2", "true", stdin=file, limit=20).returncode, 0)
        job = start("-n", "1", "sleep", "0.2", stdin=subprocess.PIPE)  # an input that never ends
        self.assertEqual(job.wait(20), 0)
        job.stdin.close()

    def test_StandardInputFromATerminalReachesRank0(self):
        master, slave = pty.openpty()
        job = subprocess.Popen([TOOL, "-n", "2", "cat"], stdin=slave, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        os.write(master, b"typed\n")
        self.assertEqual(job.stdout.readline(), "typed\n")
        os.write(master, b"\x04")
        self.assertEqual(job.wait(20), 0)
        os.close(master)

    def test_ClosedStandardStreamsAreNoHarm(self):
        script = f"{TOOL} -n 2 {WORLD} check 2 PMI-1 <&- >&- 2>&-"
        self.assertEqual(subprocess.run(["sh", "-c", script], timeout=30).returncode, 0)

    # -- failures ----------------------------------------------------------------------------------

    def fails(self, code, sentence, *arguments, **more):
        begin = time.monotonic()
        result = run(*arguments, limit=15, **more)
        self.assertEqual(result.returncode, code, result.stderr)
        said = [line for line in result.stderr.splitlines() if line.startswith("lintel-run: ")]
        self.assertEqual(len(said), 1, result.stderr)
        self.assertRegex(said[0], sentence)
        return time.monotonic() - begin, result

    def test_ARankThatFailsEndsTheJobWithItsExitCode(self):
        took, _ = self.fails(
            7, r"^lintel-run: rank 1 ended with exit code 7; the job ends$", "-n", "3", "sh", "-c",
            "if [ $PMI_RANK = 1 ]; then exit 7; fi; exec sleep 60")
        self.assertLess(took, 5)

    def test_ARankThatIsKilledIsNamedWithItsSignal(self):
        self.fails(137, r"^lintel-run: rank 2 was ended by signal 9 \(SIGKILL\); the job ends$",
                   "-n", "3", "sh", "-c",
                   "if [ $PMI_RANK = 2 ]; then kill -9 $$; fi; exec sleep 60")

    def test_TheFirstFailureDecides(self):
        self.fails(5, r"rank 0 ended with exit code 5", "-n", "2", "sh", "-c",
                   "if [ $PMI_RANK = 0 ]; then exit 5; fi; trap 'exit 9' TERM; sleep 60 & wait")

    def test_LastWordsComeBeforeTheSentence(self):
        _, result = self.fails(7, "rank 0", "-n", "1", "sh", "-c", "echo last words >&2; exit 7")
        self.assertEqual(result.stderr.splitlines()[0], "last words")

    def test_ARankThatIgnoresSigtermIsKilledAfterTheGrace(self):
        took, _ = self.fails(7, "rank 0 ended with exit code 7", "-n", "2", "sh", "-c",
                             "if [ $PMI_RANK = 0 ]; then sleep 0.3; exit 7; fi; trap '' TERM; "
                             "while true; do sleep 0.1; done")
        self.assertGreater(took, 2)
        self.assertLess(took, 8)

    def test_ARankThatLeavesOthersWaitingEndsTheJob(self):
        took, _ = self.fails(1,
                             r"^lintel-run: rank 1 left PMI without finalizing it while rank \d "
                             r"waits at a barrier; the job ends$",
                             "-n", "3", WORLD, "leave", "3", "PMI-1")
        self.assertLess(took, 5)

    def test_ARankWithoutPmiThatLeavesOthersWaitingEndsTheJob(self):
        self.fails(
            1, r"rank 1 ended without PMI while rank 0 waits at a barrier", "-n", "2", "sh", "-c",
            f"if [ $PMI_RANK = 1 ]; then exit 0; fi; exec {WORLD} check 2 PMI-1")

    def test_TheExitCodeSaysMoreThanTheWaitThatFollows(self):
        self.fails(7, r"rank 1 ended with exit code 7", "-n", "3", "sh",
                   "-c", f"{WORLD} leave 3 PMI-1 || exit 1; exit 7")

    def test_AnAbortEndsTheJobWithItsExitCode(self):
        _, result = self.fails(
            7, r"^lintel-run: rank 1 aborted the job with exit code 7; the job ends$", "-n", "3",
            WORLD, "abort", "3", "PMI-1")
        self.assertIn(
            "lintel: rank 1 aborts the job with exit code 7: as the test wants it\n", result.stderr)

    def ends_after_an_abort(self, code, sentence, end):
        """Rank 1 leaves PMI, rank 0 aborts because of that, and only then does rank 1 end."""
        with tempfile.TemporaryDirectory() as folder:
            script = (f"cd {folder}; echo cmd=init pmi_version=1 pmi_subversion=1 >&$PMI_FD; read "
                      "-u $PMI_FD answer; "
                      "if [ $PMI_RANK = 0 ]; then until [ -e left ]; do sleep 0.01; done; echo "
                      "cmd=abort exitcode=3 >&$PMI_FD; touch aborted; exec sleep 60; fi; "
                      "exec {PMI_FD}>&-; touch left; until [ -e aborted ]; do sleep 0.01; done; "
                      "sleep 0.1; " + end)
            self.fails(code, sentence, "-n", "2", "bash", "-c", script)

    def test_ARankThatIsKilledIsNamedAlsoWhenAnotherHasMissedItBefore(self):
        self.ends_after_an_abort(
            139, r"^lintel-run: rank 1 was ended by signal 11 \(SIGSEGV\); the job ends$",
            "ulimit -c 0; kill -SEGV $$")
        self.ends_after_an_abort(
            7, r"^lintel-run: rank 1 ended with exit code 7; the job ends$", "exit 7")
        self.ends_after_an_abort(
            3, r"^lintel-run: rank 0 aborted the job with exit code 3; the job ends$", "exit 0")

    def test_AnAbortCountsBeforeTheOneOfARankThatHasLostTheFirst(self):
        """Rank 1 aborts, rank 0 loses it and aborts because of that, and only then does lintel-run
        read what they have said."""
        with tempfile.TemporaryDirectory() as folder:
            script = (f"cd {folder}; echo cmd=init pmi_version=1 pmi_subversion=1 >&$PMI_FD; read "
                      "-u $PMI_FD answer; touch begun.$PMI_RANK; "
                      "if [ $PMI_RANK = 1 ]; then until [ -e begun.0 ]; do sleep 0.01; done; kill "
                      "-STOP $PPID; echo cmd=abort exitcode=7 >&$PMI_FD; touch aborted; "
                      "else until [ -e aborted ]; do sleep 0.01; done; echo cmd=abort exitcode=1 "
                      "because=lost-process >&$PMI_FD; kill -CONT $PPID; fi; exec sleep 60")
            self.fails(7, r"^lintel-run: rank 1 aborted the job with exit code 7; the job ends$",
                       "-n", "2", "bash", "-c", script)

    def test_AnAbortIsNotHeldUpByARankThatHasLeftPmiAndGoesOn(self):
        self.ends_after_an_abort(
            3, r"^lintel-run: rank 0 aborted the job with exit code 3; the job ends$",
            "exec sleep 60")

    def test_ARankThatIsNoneOfUsIsRefusedWithOneSentenceInEachRank(self):
        _, result = self.fails(3, r"rank \d ended with exit code 3", "-n", "3", WORLD, "provider",
                               "3", "PMI-1")
        self.assertIn("world_program: rank 1 has provider odd, rank 0 has provider net; expected "
                      "one provider in all processes of a job (LINTEL_PROVIDER)\n",
                      result.stderr)

    def test_NonsenseOverPmiEndsTheJob(self):
        self.fails(1, r"rank 1 sent \"hello\" over PMI-1: 'hello' is no key with a value", "-n",
                   "2", "bash", "-c",
                   "if [ $PMI_RANK = 1 ]; then echo hello >&$PMI_FD; fi; exec sleep 60")
        self.fails(1, r"rank 0 sent a line of more than 4096 bytes over PMI-1, beginning \"xxx",
                   "-n", "1", "bash", "-c",
                   "head -c 100000 /dev/zero | tr '\\0' x >&$PMI_FD; exec sleep 60")

    def test_AProgramThatIsNotThereIsASentence(self):
        self.fails(127,
                   r"cannot run 'no-such-program': No such file or directory; expected a program",
                   "-n", "4", "no-such-program", env={"PATH": "/usr/bin:/bin"})
        self.fails(126, r"cannot run '/etc/passwd': Permission denied", "-n", "4", "/etc/passwd")

    def test_TheTimeLimitEndsTheJob(self):
        took, _ = self.fails(
            124, r"^lintel-run: the job has run for 0\.5 s \(--timeout\); the job ends$", "-n", "2",
            "--timeout", "0.5", "sleep", "60")
        self.assertLess(took, 5)

    def test_AWrongCommandLineIsOneSentenceAndExitCode2(self):
        self.fails(2, r"no number of processes; expected -n N$", "true")
        self.fails(2, r"no program; expected a program", "-n", "2")
        self.fails(2, r"-n: '0' is not usable; expected a number of processes from 1 to 4096$",
                   "-n", "0", "true")
        self.fails(2, r"--bind: 'socket' is not usable; expected none or core$", "-n", "2",
                   "--bind", "socket", "true")
        self.fails(
            2, r"unknown option --bogus; expected -n, --tag-output", "-n", "2", "--bogus", "true")
        self.fails(2, r"-n", "-n")

    def test_HelpAndVersionAreNoFailure(self):
        self.assertIn("lintel-run -n N [options] program", run("--help").stdout)
        self.assertRegex(run("--version").stdout, r"^lintel-run \d+\.\d+\.\d+\n$")

    # -- signals -----------------------------------------------------------------------------------

    def test_SignalsReachAllRanks(self):
        for number in [signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT,
                       signal.SIGTERM]:
            with self.subTest(number):
                job = Job(3,
                          f"trap 'echo got; exit 0' {number.name[3:]}; echo ready; while true; do "
                          "sleep 0.05; done")
                job.process.send_signal(number)
                code, out, said = job.end()
                self.assertEqual((code, out), (0, "got\n" * 3), said)

    def test_ASignalThatEndsTheRanksEndsTheJob(self):
        job = Job(2, "echo ready; exec sleep 60")
        job.process.send_signal(signal.SIGINT)
        code, _, said = job.end()
        self.assertEqual(code, 130)
        self.assertRegex(said, r"^lintel-run: rank \d was ended by signal 2 \(SIGINT\)")

    def test_ASecondInterruptEndsRanksThatGoOnAfterTheFirst(self):
        job = Job(2, "trap '' INT; echo ready; while true; do sleep 0.05; done")
        job.process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(job.process.poll())
        job.process.send_signal(signal.SIGINT)
        code, _, said = job.end()
        self.assertEqual(code, 130)
        self.assertIn("signal 2 (SIGINT) came for the second time", said)

    def test_TheJobStopsAndContinues(self):
        job = Job(2, "echo $$; exec sleep 60")
        ranks = [int(line) for line in job.lines]
        job.process.send_signal(signal.SIGTSTP)
        self.assertTrue(
            wait_until(lambda: all(state_of(pid) == "T" for pid in [*ranks, job.process.pid])))
        job.process.send_signal(signal.SIGCONT)
        self.assertTrue(
            wait_until(lambda: all(state_of(pid) == "S" for pid in [*ranks, job.process.pid])))
        job.process.send_signal(signal.SIGTERM)
        self.assertEqual(job.end()[0], 143)

    def test_RanksHaveTheSignalsThatTheCallerHas(self):
        script = "grep -E '^Sig(Blk|Ign)' /proc/self/status"
        self.assertEqual(
            run("-n", "1", "sh", "-c", script).stdout,
            subprocess.run(["sh", "-c", script], capture_output=True, text=True).stdout)

    # -- processors --------------------------------------------------------------------------------

    def test_RanksAreBoundToTheProcessorsThatAreAllowedRoundAndRound(self):
        allowed = sorted(os.sched_getaffinity(0))
        script = "echo $PMI_RANK $(grep Cpus_allowed_list /proc/self/status)"
        ranks = len(allowed) + 1
        result = run("-n", str(ranks), "--bind", "core", "sh", "-c", script)
        self.assertEqual(sorted(result.stdout.splitlines()),
                         sorted(f"{rank} Cpus_allowed_list: {allowed[rank % len(allowed)]}"
                                for rank in range(ranks)))
        result = run("-n", "2", "--bind", "core", "sh", "-c", script,
                     preexec_fn=lambda: os.sched_setaffinity(0, {allowed[-1]}))
        self.assertEqual(sorted(result.stdout.splitlines()),
                         [f"{rank} Cpus_allowed_list: {allowed[-1]}" for rank in range(2)])

    def test_WithoutBindingRanksMayRunWhereTheCallerMay(self):
        script = "grep Cpus_allowed_list /proc/self/status"
        self.assertEqual(
            run("-n", "2", "sh", "-c", script).stdout,
            2 * subprocess.run(["sh", "-c", script], capture_output=True, text=True).stdout)

    # -- nothing is left ---------------------------------------------------------------------------

    def test_WhatARankLeavesBehindGoesWithTheJob(self):
        result = run("-n", "2", "sh",
                     "-c", "sleep 600 & echo $!; setsid sleep 600 > /dev/null & echo $!", limit=20)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(result.stdout.split()), 4)
        for pid in result.stdout.split():
            self.assertTrue(is_gone(int(pid)), pid)

    def test_ChildrenOfRanksGoWithAJobThatFails(self):
        result = run("-n", "2", "sh", "-c",
                     "sleep 600 & echo $!; if [ $PMI_RANK = 0 ]; then sleep 0.3; exit 7; fi; wait",
                     limit=20)
        self.assertEqual(result.returncode, 7)
        for pid in result.stdout.split():
            self.assertTrue(is_gone(int(pid)), pid)

    def test_RanksDieWithLintelRun(self):
        job = Job(2, "echo $$; exec sleep 600")
        job.process.kill()
        job.process.communicate(timeout=20)
        for line in job.lines:
            self.assertTrue(wait_until(lambda pid=int(line): is_gone(pid)))

    def test_ChildrenOfRanksDieWithLintelRun(self):
        job = Job(2, "sleep 600 & echo $!; wait")
        job.process.kill()
        job.process.communicate(timeout=20)
        for line in job.lines:
            self.assertTrue(wait_until(lambda pid=int(line): is_gone(pid)))

    def test_NothingRunsOnceTheJobCouldNotStart(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "script")
            # it removes itself, so the second rank does not find it
            with open(script, "w", encoding="ascii") as file:
                file.write(f"#!/bin/sh\necho $$ >> {folder}/pids\nrm {script}\nexec sleep 600\n")
            os.chmod(script, 0o755)
            result = run("-n", "64", script, limit=20)
            self.assertIn(result.returncode, (126, 127), result.stderr)
            if os.path.exists(f"{folder}/pids"):
                with open(f"{folder}/pids", encoding="ascii") as file:
                    for pid in file.read().split():
                        self.assertTrue(is_gone(int(pid)), pid)


def main():
    global TOOL, WORLD
    names = unittest.TestLoader().getTestCaseNames(LintelRun)
    if sys.argv[1:] == ["--list"]:
        print("\n".join(name.removeprefix("test_") for name in names))
        return 0
    TOOL, WORLD = (os.path.abspath(program) for program in sys.argv[1:3])
    chosen = [f"test_{name}" for name in sys.argv[3:]] or names
    # background jobs of a shell ignore it, and so would every process that they start
    signal.signal(signal.SIGINT, signal.default_int_handler)
    suite = unittest.TestSuite(LintelRun(name) for name in chosen)
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
