"""Chains of triggered operations through many processes."""

import json
import os
import signal
import subprocess
import tempfile
import time

from perf_tool import (CHAINS, SHORT, PerfTest, children_of, environment, is_running, json_of, run,
                       switches_of, thread_of, time_of, tool, wait_until)


def deliveries_to(rank):
    """How often its progress thread has gone to sleep: once at least after each message that wakes
    it."""
    return switches_of(rank, thread_of(rank, "lintel-progress"))


class Chains(PerfTest):
    def test_NumbersOfProcessesThatAreNoneAreRefused(self):
        for text in ["x", "-5", "0", "1", "65", ""]:
            with self.subTest(text):
                self.refuses(["barrier", "--processes", text], f"--processes: '{text}'")

    def test_ProcessesWithoutAChainAreRefused(self):
        self.refuses(["put-lat", "--processes", "4"], "--processes")
        self.refuses(["--server", "--processes", "4"], "--processes")

    def test_WhatMakesNoSenseWithAChainIsRefused(self):
        for options in [["--server"], ["--client", "127.0.0.1"], ["--pid", "5"], ["--once"],
                        ["--window", "3"], ["--completion", "remote"], ["--iovec", "2"],
                        ["--passive-mode", "sleep"], ["--passive-seconds", "1"], ["--units", "MB"],
                        ["--percentiles"], ["--notify", "counters", "--api", "4"]]:
            for chain in CHAINS:
                with self.subTest(chain=chain, options=options):
                    self.refuses([chain, *options], f"{options[0]} with {chain}")
        self.refuses(["reduce", "--api", "3"], "--api: '3'")

    def test_SizesThatAChainCannotHaveAreRefused(self):
        self.refuses(["barrier", "--sizes", "8"], "barrier")
        self.refuses(["barrier", "--max", "8"], "barrier")
        self.refuses(["reduce", "--sizes", "8,12"], "'12'")
        self.refuses(["reduce", "--processes", "2", "--sizes", "8,128K"], "'131072'", limit=20)
        self.refuses(["broadcast", "--processes", "2", "--sizes", "64G"], "'68719476736'", limit=20)

    def test_ChainsOfTwoFourAndFiveProcessesAreVerified(self):
        for processes, stages in [(2, 1), (4, 2), (5, 3)]:
            for chain, sizes, messages in [("barrier", [0], 20 * processes * stages),
                                           ("broadcast", [1, 1000, 16385], 40 * (processes - 1)),
                                           ("reduce", [8, 1024], 40 * (processes - 1))]:
                with self.subTest(chain=chain, processes=processes):
                    wanted = [] if chain == "barrier" else ["--sizes", ",".join(map(str, sizes))]
                    report = json_of(chain, "--processes", str(processes), *wanted, *SHORT)
                    self.assertEqual((report["measurement"], report["status"], report["validated"]),
                                     (chain, "ok", True))
                    self.assertEqual((report["api"], report["notify"]), (4, "counters"))
                    self.assertEqual(report["processes"], processes)
                    self.assertEqual(len({rank["address"] for rank in report["ranks"]}), processes)
                    self.assertEqual([row["size_bytes"] for row in report["results"]], sizes)
                    for row in report["results"]:
                        self.assertEqual((row["iterations"], row["warm_up"], row["batches"]),
                                         (20, 2, 1))
                        self.assertEqual(row["verified_messages"], messages)
                        self.assertEqual(len(row[f"{chain}_time_us"]["passes"]), 2)
                        self.assertGreater(min(row[f"{chain}_time_us"]["passes"]), 0)

    def test_AChainHasFourProcessesUnlessTold(self):
        result = run("barrier", *SHORT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("# Processes: 4;", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^# Size +Time of a round \(us\)$")

    def test_AChainThatIsNotVerifiedSaysSo(self):
        for chain in CHAINS:
            with self.subTest(chain):
                report = json_of(chain, "--processes", "2", "--no-validate", *SHORT)
                self.assertFalse(report["validated"])
                self.assertEqual({row["verified_messages"] for row in report["results"]}, {0})

    def test_MoreRoundsThanCanWaitAtOnceAreSplitAndThatIsSaid(self):
        for chain, batch in [("barrier", 2048), ("broadcast", 4096), ("reduce", 4096)]:
            with self.subTest(chain), tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "r.json")
                size = [] if chain == "barrier" else ["--sizes", "8"]
                result = run(chain, *size, "--processes", "2", "--iterations", "4100",
                             "--warm-up", "0", "--repeats", "1", "--json", file, limit=100)
                self.assertEqual(result.returncode, 0, result.stderr)
                batches = -(-4100 // batch)
                self.assertIn(
                    f"# 4100 rounds in {batches} batches of at most {batch}: ", result.stdout)
                self.assertIn("max_triggered_ops is 4096", result.stdout)
                with open(file, encoding="utf-8") as report:
                    row = json.load(report)["results"][0]
                self.assertEqual((row["batches"], row["iterations"]), (batches, 4100))
                self.assertEqual(row["verified_messages"], 4100 * (2 if chain == "barrier" else 1))

    def long_chain(self, *options):
        """A broadcast that takes far longer than a test, and its processes, when all sleep but rank
        0."""
        starter = subprocess.Popen(
            [
                tool(), "broadcast", "--sizes", "4M", "--iterations", "1000000",
                "--no-validate", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        while "measuring" not in starter.stderr.readline():
            self.assertIsNone(starter.poll())
        ranks = children_of(starter.pid)

        def asleep():
            return [(switches_of(rank, rank), time_of(rank, rank)) for rank in ranks[1:]]

        def deliveries():
            return [deliveries_to(rank) for rank in ranks[1:]]

        def runs_through_sleepers():
            # They also sleep before the chain begins, but nothing comes to them then; and while
            # they lay it out they are busy.
            before, came = asleep(), deliveries()
            time.sleep(0.5)
            return (asleep() == before and before[0][0] > 0
                    and all(now > then + 3 for now, then in zip(deliveries(), came)))
        self.assertTrue(
            wait_until(runs_through_sleepers, 30),
            "the chain has to run through ranks that all sleep in one system call, but for rank 0")
        return starter, ranks

    def fails(self, starter, ranks, sentence, timeout, limit):
        """Its processes end by themselves, all of them, within the limit, and it says the
        sentence."""
        start = time.monotonic()
        _, said = starter.communicate(timeout=timeout)
        self.assertLess(time.monotonic() - start, limit)
        self.assertEqual(starter.returncode, 1, said)
        self.assertRegex(said, sentence)
        self.assertFalse(any(is_running(rank) for rank in ranks))

    def test_AllButRankZeroSleepInOneSystemCallWhileTheChainRunsThroughThem(self):
        starter, ranks = self.long_chain("--processes", "3")
        for rank in ranks[1:]:
            before = deliveries_to(rank)
            self.assertTrue(wait_until(lambda: deliveries_to(rank) > before + 20, 20),
                            "nobody takes part")
        starter.kill()
        starter.communicate()
        self.assertTrue(wait_until(lambda: not any(is_running(rank) for rank in ranks), 5),
                        "processes outlive their starter")

    def test_AChainNamesTheProcessThatWasKilledAndHowFarTheOthersCame(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "r.json")
            starter, ranks = self.long_chain("--processes", "4", "--json", file)
            os.kill(ranks[2], signal.SIGKILL)
            self.fails(starter, ranks,
                       rf"lintel-perf: rank 2: process {ranks[2]} died of signal 9; rounds done of "
                       r"\d+: rank.* \d+, rank 2: dead, rank 3: \d+",
                       timeout=20, limit=8)
            with open(file, encoding="utf-8") as report:
                self.assertEqual(json.load(report)["status"], "failed")

    def test_AChainThatStandsStillNamesWhoIsMissing(self):
        starter, ranks = self.long_chain("--processes", "3", "--deadline", "1.5")
        os.kill(ranks[1], signal.SIGSTOP)
        self.fails(starter, ranks,
                   r"the chain stands still; expected .*1\.5 s \(--deadline\); rounds done of \d+: "
                   r"rank 0: \d+, rank 1: no answer, rank 2: \d+",
                   timeout=30, limit=20)
