#!/usr/bin/env python3
"""lintel-perf as its users run it. Usage: lintel_perf_test.py TOOL [--newer-peer=PROGRAM] [--provider=NAME] [CLAUSE...]; lintel_perf_test.py --list.

In NAME a plus stands for the semicolon, which CMake would take for a list: tcp+ofi_rxm."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOOL = ""
NEWER_PEER = ""  # a program that speaks a later version of the wire protocol, see newer_peer.cpp
SHORT = ["--iterations", "20", "--warm-up", "2", "--repeats", "2"]
CHAINS = ["barrier", "broadcast", "reduce"]
MEASUREMENTS = ["put-lat", "put-bw", "put-bibw", "get-lat", "get-bw", "msg-rate", "passive", "swap-lat", "quick"]
ATOMICS = ["fetch-lat", "atomic-rate"]  # of Portals 4 only
PORTALS4 = [["--api", "4", "--notify", "events"], ["--api", "4", "--notify", "counters"]]


def environment():
    """The caller's, without settings that would change what is tested; LINTEL_PROVIDER stays."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LINTEL_") or name == "LINTEL_PROVIDER"}


def run(*arguments, limit=60, **settings):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=limit, env={**environment(), **settings})


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


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def switches_of(pid, thread):
    """How often the thread has gone to sleep."""
    with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as file:
        return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.M)[1])


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
        self.process = subprocess.Popen(command or [TOOL, "--server", "--pid", "any", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env={**environment(), **settings})
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


class LintelPerf(unittest.TestCase):
    maxDiff = None

    # -- wrong use: one sentence that names the value and what was expected, exit code 2, no hang ------------------------------------------------

    def refuses(self, arguments, value, limit=5.0):
        start = time.monotonic()
        result = run(*arguments)
        self.assertLess(time.monotonic() - start, limit)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        said = [line for line in result.stderr.splitlines() if line.startswith("lintel-perf: ")]
        self.assertEqual(len(said), 1, result.stderr)
        self.assertIn(value, said[0])
        self.assertIn("expected", said[0])

    def test_AnUnknownSubCommandIsRefused(self):
        self.refuses(["put-latency"], "'put-latency'")

    def test_NoSubCommandIsRefused(self):
        self.refuses([], "sub-command")

    def test_AnUnknownOptionIsRefused(self):
        self.refuses(["put-lat", "--no-such-option"], "'--no-such-option'")

    def test_SizesThatAreNoneAreRefused(self):
        for text in ["0", "", "x", "8,0", "8,,16", "-1", "65G", "1.5K"]:
            with self.subTest(text):
                self.refuses(["put-lat", "--sizes", text], "--sizes")

    def test_BadNumbersAreRefused(self):
        for option in ["--iterations", "--window", "--repeats", "--iovec", "--deadline", "--cpu", "--passive-seconds", "--min"]:
            for text in ["x", "-5", "99999999999999999999"]:
                with self.subTest(option=option, text=text):
                    self.refuses(["put-lat", option, text], f"{option}: '{text}'")

    def test_AMinimumAboveTheMaximumIsRefused(self):
        self.refuses(["put-lat", "--min", "16", "--max", "8"], "--min 16")

    def test_AnUnknownChoiceIsRefused(self):
        for option in ["--completion", "--units", "--passive-mode", "--api", "--notify"]:
            with self.subTest(option):
                self.refuses(["put-lat", option, "sideways"], f"{option}: 'sideways'")

    def test_TwoRolesAreRefused(self):
        self.refuses(["put-lat", "--server", "--client", "127.0.0.1"], "--server")

    def test_ACpuThatIsNotThereIsRefused(self):
        self.refuses(["put-lat", "--cpu", "4000"], "'4000'")

    def test_AnUnknownProviderIsRefused(self):
        result = run("put-lat", "--provider", "nosuchprovider")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("nosuchprovider", result.stderr)

    def test_AReportFileThatCannotBeWrittenIsRefusedBeforeMeasuring(self):
        self.refuses(["put-lat", "--json", "/nonexistent/report.json"], "'/nonexistent/report.json'")

    def test_ASwapLargerThanTheInterfaceAllowsIsRefused(self):
        self.refuses(["swap-lat", "--sizes", "1G"], "'1073741824'")

    def test_AnApiThatIsNoneIsRefusedWithThoseThatAre(self):
        for text in ["2", "5", "34", "portals4"]:
            with self.subTest(text):
                self.refuses(["put-lat", "--api", text], f"--api: '{text}' is not usable; expected 3 or 4")

    def test_CountersWithoutPortals4AreRefused(self):
        for arguments in [["--notify", "counters"], ["--api", "3", "--notify", "counters"]]:
            with self.subTest(arguments):
                self.refuses(["put-lat", *arguments], "--notify: 'counters' is not usable with --api 3")

    def test_AtomicOperationsWithoutPortals4AreRefused(self):
        for name in ATOMICS:
            for arguments in [[], ["--api", "3"]]:
                with self.subTest(name, arguments=arguments):
                    self.refuses([name, *arguments], f"--api: '3' is not usable with {name}")

    def test_AtomicOperationsBeyondTheLimitOrWithoutWholeWordsAreRefused(self):
        for name, limit in [("fetch-lat", "max_fetch_atomic_size"), ("atomic-rate", "max_atomic_size")]:
            with self.subTest(name):
                self.refuses([name, "--api", "4", "--sizes", "8,1032"], f"'1032' is not usable with {name}; expected at most 1024 bytes ({limit})")
                self.refuses([name, "--api", "4", "--sizes", "8,12"], f"'12' is not usable with {name}; expected a multiple of 8 bytes")

    def test_ASwapLargerThanPortals4AllowsIsRefused(self):
        self.refuses(["swap-lat", "--api", "4", "--sizes", "1025"], "'1025' is not usable with swap-lat; expected at most 1024 bytes (max_fetch_atomic_size)")

    def test_AHostNameThatDoesNotResolveIsRefused(self):
        self.refuses(["put-lat", "--client", "no-such-host.invalid", "--deadline", "2"], "'no-such-host.invalid'", limit=8)

    def test_AServerThatIsNotThereIsNamedWithinTheDeadline(self):
        self.refuses(["put-lat", "--client", "127.0.0.1:1000", "--deadline", "1"], "127.0.0.1 pid 1000", limit=4)

    def test_AHostThatDoesNotAnswerIsNamedWithinTheDeadline(self):
        self.refuses(["put-lat", "--client", "203.0.113.9", "--deadline", "1"], "203.0.113.9 pid 17", limit=4)

    def test_AProcessIdThatIsTakenIsRefused(self):
        with Server() as server:
            self.refuses(["--server", "--pid", server.address.split(":")[1]], server.address.split(":")[1])

    # -- what is measured and reported ------------------------------------------------------------------------------------------------------------

    def test_EveryMeasurementHasARowForEachSizeInOrder(self):
        for name in MEASUREMENTS:
            with self.subTest(name):
                result = run(name, "--sizes", "256,16,64", "--passive-seconds", "0.2", *SHORT)
                self.assertEqual(result.returncode, 0, result.stderr)
                rows = rows_of(result.stdout)
                self.assertEqual([row[0] for row in rows], ["256", "16", "64"])
                for row in rows:
                    self.assertTrue(all(float(cell) > 0 for cell in row), row)

    def test_LargeMessagesOfOddSizesArriveWhole(self):
        for name in ["put-lat", "put-bw", "put-bibw", "get-lat", "get-bw"]:
            with self.subTest(name):
                report = json_of(name, "--sizes", "4095,16K,65537,1M,3000001", *SHORT)
                self.assertEqual([row["size_bytes"] for row in report["results"]], [4095, 16384, 65537, 1048576, 3000001])

    def test_EveryMessageOfAVerifiedPassIsCounted(self):
        for name, messages in [("put-lat", 40), ("put-bw", 20), ("put-bibw", 40), ("get-lat", 20), ("get-bw", 20), ("swap-lat", 20), ("quick", 100)]:
            with self.subTest(name):
                report = json_of(name, "--sizes", "8", *SHORT)
                self.assertTrue(report["validated"])
                self.assertEqual(report["results"][0]["verified_messages"], messages)

    def test_ScatteredMemoryArrivesWhole(self):
        for name in ["put-lat", "put-bw", "put-bibw", "get-lat", "get-bw", "passive"]:
            with self.subTest(name):
                report = json_of(name, "--sizes", "3,1000,100001", "--iovec", "5", "--passive-seconds", "0.2", *SHORT)
                self.assertEqual(report["iovec_pieces"], 5)
                self.assertEqual(len(report["results"]), 3)

    def test_TheHeaderSaysWhatUnderWhichConditions(self):
        header = [line for line in run("put-bw", "--sizes", "8", "--cpu", "0", "--window", "7", *SHORT).stdout.splitlines() if line.startswith("#")]
        text = "\n".join(header)
        for expected in ["put bandwidth", "Window: 7", "remote", "CPU 0", "MB = 1e6", "verified", "Provider", "127.0.0.1"]:
            self.assertIn(expected, text)
        self.assertRegex(header[-1], r"^# Size +Put bandwidth \(MB/s\)$")

    def test_LatencyIsInMicrosecondsInTheLastHeaderLine(self):
        header = [line for line in run("put-lat", "--sizes", "8", *SHORT).stdout.splitlines() if line.startswith("#")]
        self.assertRegex(header[-1], r"^# Size +Put latency \(us\)$")

    def test_LocalCompletionIsSaid(self):
        result = run("put-bw", "--sizes", "8,64K", "--completion", "local", *SHORT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("local (a put is done with its SEND_END", result.stdout)
        self.assertEqual(json_of("put-bw", "--sizes", "8", "--completion", "local", *SHORT)["completion"], "local")

    def test_UnitsConvert(self):
        for units, key, per_second in [("MB", "MB_per_s", 1e6), ("MiB", "MiB_per_s", 1048576), ("Gb", "Gb_per_s", 1e9 / 8)]:
            with self.subTest(units):
                report = json_of("msg-rate", "--sizes", "1000", "--units", units, *SHORT)["results"][0]
                bytes_per_second = report["message_rate_per_s"]["passes"][0] * 1000
                self.assertAlmostEqual(report[f"put_bandwidth_{key}"]["passes"][0] * per_second / bytes_per_second, 1.0, places=6)

    def test_WithoutValidationTheReportSaysSo(self):
        result = run("put-lat", "--sizes", "8", "--no-validate", *SHORT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("NOT verified", result.stdout)
        report = json_of("put-lat", "--sizes", "8", "--no-validate", *SHORT)
        self.assertFalse(report["validated"])
        self.assertEqual(report["results"][0]["verified_messages"], 0)

    def test_JsonOnStdoutIsOneDocumentAndTheTableIsOnStderr(self):
        result = run("get-lat", "--sizes", "8", "--json", "-", *SHORT)
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual((report["status"], len(report["results"])), ("ok", 1))
        self.assertEqual(rows_of(result.stderr)[-1][0], "8")

    def test_JsonCarriesSamplesAndPercentilesInOrder(self):
        latency = json_of("put-lat", "--sizes", "8", *SHORT)["results"][0]["put_latency_us"]
        self.assertEqual(latency["samples"], 20)
        self.assertEqual(len(latency["passes"]), 2)
        order = [latency[name] for name in ["min", "p50", "p90", "p99", "p99_9", "max"]]
        self.assertEqual(order, sorted(order))

    def test_ReportsGoToFiles(self):
        with tempfile.TemporaryDirectory() as folder:
            json_file, csv_file = os.path.join(folder, "r.json"), os.path.join(folder, "r.csv")
            result = run("get-bw", "--sizes", "8,16", "--json", json_file, "--csv", csv_file, *SHORT)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(len(rows_of(result.stdout)), 2)
            with open(json_file, encoding="utf-8") as file:
                self.assertEqual(len(json.load(file)["results"]), 2)
            with open(csv_file, encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual([row["size_bytes"] for row in rows], ["8", "16"])
            self.assertGreater(float(rows[0]["get_bandwidth_MB_per_s"]), 0)

    def test_TheJsonDocumentOfAFailedRunSaysWhy(self):
        result = run("put-lat", "--client", "127.0.0.1:1000", "--deadline", "1", "--json", "-")
        self.assertEqual(result.returncode, 2, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual((report["status"], report["results"]), ("failed", []))
        self.assertIn("127.0.0.1 pid 1000", report["error"])

    def test_CsvOnStdoutParses(self):
        result = run("put-lat", "--sizes", "8", "--csv", "-", *SHORT)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        self.assertEqual(rows[0]["size_bytes"], "8")

    def test_PercentilesHaveColumns(self):
        result = run("put-lat", "--sizes", "8", "--percentiles", *SHORT)
        self.assertRegex(result.stdout, r"P50 +P90 +P99 +P99\.9 +samples")

    def test_QuickShowsProgressAndFourColumns(self):
        result = run("quick", "--sizes", "8,1K", *SHORT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([len(row) for row in rows_of(result.stdout)], [5, 5])
        self.assertIn("[2/2]", result.stderr)

    def test_APassiveTargetAnswersWhileItComputesAndWhileItSleeps(self):
        for mode in ["compute", "sleep"]:
            with self.subTest(mode):
                report = json_of("passive", "--passive-mode", mode, "--passive-seconds", "0.5", "--sizes", "8,64K")
                for row in report["results"]:
                    self.assertGreater(row["put_to_ack_us"]["samples"], 0)
                    self.assertGreater(row["get_latency_us"]["samples"], 0)
                    self.assertEqual(row["verified_messages"], 2 * row["put_to_ack_us"]["samples"])

    # -- the same through Portals 4 ---------------------------------------------------------------------------------------------------------------

    def test_EveryMeasurementGoesThroughPortals4AndIsVerified(self):
        for arguments in PORTALS4:
            for name in MEASUREMENTS + ATOMICS:
                with self.subTest(name, arguments=arguments):
                    report = json_of(name, *arguments, "--sizes", "64,8,1016", "--passive-seconds", "0.2", *SHORT)
                    self.assertEqual((report["api"], report["notify"]), (4, arguments[-1]))
                    self.assertTrue(report["validated"])
                    self.assertEqual([row["size_bytes"] for row in report["results"]], [64, 8, 1016])
                    for row in report["results"]:
                        self.assertGreater(row["verified_messages"], 0)
                        self.assertTrue(all(value["value"] > 0 for value in row.values() if isinstance(value, dict)), row)

    def test_EveryMessageOfAVerifiedPassIsCountedThroughPortals4(self):
        for arguments in PORTALS4:
            for name, messages in [("put-lat", 40), ("put-bw", 20), ("put-bibw", 40), ("get-lat", 20), ("get-bw", 20), ("swap-lat", 20),
                                   ("fetch-lat", 20), ("atomic-rate", 40)]:
                with self.subTest(name, arguments=arguments):
                    report = json_of(name, *arguments, "--sizes", "8", *SHORT)
                    self.assertEqual(report["results"][0]["verified_messages"], messages)

    def test_LargeMessagesOfOddSizesArriveWholeThroughPortals4(self):
        for arguments in PORTALS4:
            for name in ["put-lat", "put-bw", "put-bibw", "get-lat", "get-bw"]:
                with self.subTest(name, arguments=arguments):
                    report = json_of(name, *arguments, "--sizes", "4095,65537,1000001", *SHORT)
                    self.assertEqual([row["size_bytes"] for row in report["results"]], [4095, 65537, 1000001])

    def test_ScatteredMemoryArrivesWholeThroughPortals4(self):
        for arguments in PORTALS4:
            for name, sizes in [("put-bibw", "3,1000,100001"), ("get-bw", "3,1000,100001"), ("swap-lat", "3,1000"), ("fetch-lat", "8,1000"),
                                ("atomic-rate", "8,1000")]:
                with self.subTest(name, arguments=arguments):
                    report = json_of(name, *arguments, "--sizes", sizes, "--iovec", "5", *SHORT)
                    self.assertEqual(report["iovec_pieces"], 5)
                    self.assertEqual(len(report["results"]), len(sizes.split(",")))

    def test_LocalCompletionCountsMorePutsThanAQueueHoldsThroughPortals4(self):
        for arguments in PORTALS4:
            with self.subTest(arguments):
                report = json_of("msg-rate", *arguments, "--completion", "local", "--iterations", "70000", "--repeats", "1", "--warm-up", "1")
                self.assertEqual(report["completion"], "local")
                self.assertEqual(report["results"][0]["iterations"], 70000)

    def test_EveryReportSaysWhichApiAndHowCompletionIsLearnt(self):
        for arguments, api, notify in [([], 3, "events"), (PORTALS4[0], 4, "events"), (PORTALS4[1], 4, "counters")]:
            with self.subTest(arguments), tempfile.TemporaryDirectory() as folder:
                json_file, csv_file = os.path.join(folder, "r.json"), os.path.join(folder, "r.csv")
                result = run("put-lat", *arguments, "--sizes", "8", "--json", json_file, "--csv", csv_file, *SHORT)
                self.assertIn(f"# API: Portals {api}, completion by {notify}\n", result.stdout)
                with open(json_file, encoding="utf-8") as file:
                    report = json.load(file)
                self.assertEqual((report["api"], report["notify"]), (api, notify))
                with open(csv_file, encoding="utf-8", newline="") as file:
                    rows = list(csv.DictReader(file))
                self.assertEqual([(row["api"], row["notify"]) for row in rows], [(str(api), notify)])

    def test_TheMethodIsInTheWordsOfTheApi(self):
        for arguments, words in [([], "from PtlGetPut to its REPLY_END,"), (PORTALS4[0], "from PtlSwap to its REPLY,"),
                                 (PORTALS4[1], "from PtlSwap to its counted REPLY,")]:
            with self.subTest(arguments):
                self.assertIn(words, json_of("swap-lat", *arguments, "--sizes", "8", *SHORT)["method"])

    def test_AServerServesClientsOfBothApis(self):
        with Server() as server:
            for arguments in [PORTALS4[0], [], PORTALS4[1], PORTALS4[0]]:
                result = run("put-bibw", "--client", server.address, *arguments, "--sizes", "8,64K", *SHORT)
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIsNone(server.process.poll())
    # -- chains of triggered operations through many processes ------------------------------------------------------------------------------------

    def test_NumbersOfProcessesThatAreNoneAreRefused(self):
        for text in ["x", "-5", "0", "1", "65", ""]:
            with self.subTest(text):
                self.refuses(["barrier", "--processes", text], f"--processes: '{text}'")

    def test_ProcessesWithoutAChainAreRefused(self):
        self.refuses(["put-lat", "--processes", "4"], "--processes")
        self.refuses(["--server", "--processes", "4"], "--processes")

    def test_WhatMakesNoSenseWithAChainIsRefused(self):
        for options in [["--server"], ["--client", "127.0.0.1"], ["--pid", "5"], ["--once"], ["--window", "3"], ["--completion", "remote"],
                        ["--iovec", "2"], ["--passive-mode", "sleep"], ["--passive-seconds", "1"], ["--units", "MB"], ["--percentiles"], ["--notify", "counters", "--api", "4"]]:
            for chain in CHAINS:
                with self.subTest(chain=chain, options=options):
                    self.refuses([chain, *options], f"{options[0]} with {chain}")
        self.refuses(["reduce", "--api", "3"], "--api: '3'")

    def test_SizesThatAChainCannotHaveAreRefused(self):
        self.refuses(["barrier", "--sizes", "8"], "barrier")
        self.refuses(["barrier", "--max", "8"], "barrier")
        self.refuses(["reduce", "--sizes", "8,12"], "'12'")
        self.refuses(["reduce", "--processes", "2", "--sizes", "8,64K"], "'65536'", limit=20)
        self.refuses(["broadcast", "--processes", "2", "--sizes", "64G"], "'68719476736'", limit=20)

    def test_ChainsOfTwoFourAndFiveProcessesAreVerified(self):
        for processes, stages in [(2, 1), (4, 2), (5, 3)]:
            for chain, sizes, messages in [("barrier", [0], 20 * processes * stages), ("broadcast", [1, 1000, 16385], 40 * (processes - 1)),
                                           ("reduce", [8, 1024], 40 * (processes - 1))]:
                with self.subTest(chain=chain, processes=processes):
                    wanted = [] if chain == "barrier" else ["--sizes", ",".join(map(str, sizes))]
                    report = json_of(chain, "--processes", str(processes), *wanted, *SHORT)
                    self.assertEqual((report["measurement"], report["status"], report["validated"]), (chain, "ok", True))
                    self.assertEqual((report["api"], report["notify"]), (4, "counters"))
                    self.assertEqual(report["processes"], processes)
                    self.assertEqual(len({rank["address"] for rank in report["ranks"]}), processes)
                    self.assertEqual([row["size_bytes"] for row in report["results"]], sizes)
                    for row in report["results"]:
                        self.assertEqual((row["iterations"], row["warm_up"], row["batches"]), (20, 2, 1))
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
                result = run(chain, *size, "--processes", "2", "--iterations", "4100", "--warm-up", "0", "--repeats", "1", "--json", file, limit=100)
                self.assertEqual(result.returncode, 0, result.stderr)
                batches = -(-4100 // batch)
                self.assertIn(f"# 4100 rounds in {batches} batches of at most {batch}: ", result.stdout)
                self.assertIn("max_triggered_ops is 4096", result.stdout)
                with open(file, encoding="utf-8") as report:
                    row = json.load(report)["results"][0]
                self.assertEqual((row["batches"], row["iterations"]), (batches, 4100))
                self.assertEqual(row["verified_messages"], 4100 * (2 if chain == "barrier" else 1))

    def long_chain(self, *options):
        """A broadcast that takes far longer than a test, and its processes, when all sleep but rank 0."""
        starter = subprocess.Popen([TOOL, "broadcast", "--sizes", "4M", "--iterations", "1000000", "--no-validate", *options],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        while "measuring" not in starter.stderr.readline():
            self.assertIsNone(starter.poll())
        ranks = children_of(starter.pid)

        def asleep():
            before = [switches_of(rank, rank) for rank in ranks[1:]]
            time.sleep(0.5)
            return [switches_of(rank, rank) for rank in ranks[1:]] == before and before[0] > 0
        self.assertTrue(wait_until(asleep, 30), "all but rank 0 have to sleep in one system call")
        return starter, ranks

    def test_AllButRankZeroSleepInOneSystemCallWhileTheChainRunsThroughThem(self):
        starter, ranks = self.long_chain("--processes", "3")
        for rank in ranks[1:]:
            others = [int(thread) for thread in os.listdir(f"/proc/{rank}/task") if int(thread) != rank]
            before = sum(switches_of(rank, thread) for thread in others)
            self.assertTrue(wait_until(lambda: sum(switches_of(rank, thread) for thread in others) > before + 20, 20), "nobody takes part")
        starter.kill()
        starter.communicate()
        self.assertTrue(wait_until(lambda: not any(is_running(rank) for rank in ranks), 5), "processes outlive their starter")

    def test_AChainNamesTheProcessThatWasKilledAndHowFarTheOthersCame(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "r.json")
            starter, ranks = self.long_chain("--processes", "4", "--json", file)
            os.kill(ranks[2], signal.SIGKILL)
            start = time.monotonic()
            _, said = starter.communicate(timeout=20)
            self.assertLess(time.monotonic() - start, 8)
            self.assertEqual(starter.returncode, 1, said)
            self.assertRegex(said, rf"lintel-perf: rank 2: process {ranks[2]} died of signal 9; rounds done of \d+: rank.* \d+, rank 2: dead, rank 3: \d+")
            self.assertFalse(any(is_running(rank) for rank in ranks))
            with open(file, encoding="utf-8") as report:
                self.assertEqual(json.load(report)["status"], "failed")

    def test_AChainThatStandsStillNamesWhoIsMissing(self):
        starter, ranks = self.long_chain("--processes", "3", "--deadline", "1.5")
        os.kill(ranks[1], signal.SIGSTOP)
        start = time.monotonic()
        _, said = starter.communicate(timeout=30)
        self.assertLess(time.monotonic() - start, 20)
        self.assertEqual(starter.returncode, 1, said)
        self.assertRegex(said, r"the chain stands still; expected .*1\.5 s \(--deadline\); rounds done of \d+: rank 0: \d+, rank 1: no answer, rank 2: \d+")
        self.assertFalse(any(is_running(rank) for rank in ranks))

    # -- two processes that find each other by address --------------------------------------------------------------------------------------------

    def test_AClientMeasuresWithAServerByAddress(self):
        with Server("--once") as server:
            result = run("put-lat", "--client", server.address, "--sizes", "8", *SHORT)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(server.process.wait(10), 0)

    def test_AServerServesOneClientAfterTheOther(self):
        with Server() as server:
            for name in ["put-bw", "get-lat", "put-bibw"]:
                result = run(name, "--client", server.address, "--sizes", "8,64K", *SHORT)
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIsNone(server.process.poll())

    def test_ABusyServerRefusesASecondClient(self):
        with Server() as server:
            first = subprocess.Popen([TOOL, "passive", "--client", server.address, "--sizes", "8,16,32,64", "--passive-seconds", "0.5"],
                                     stdout=subprocess.PIPE, text=True, env=environment())
            wait_until(lambda: "begins" in server.process.stdout.readline(), 10)
            second = run("put-lat", "--client", server.address, "--sizes", "8", *SHORT)
            self.assertEqual(second.returncode, 2, second.stderr)
            self.assertIn("busy", second.stderr)
            first.communicate(timeout=30)
            self.assertEqual(first.returncode, 0)

    def test_DifferentProtocolsAreNamedOnBothSides(self):
        with Server("--once") as server:
            client = run("put-lat", "--client", server.address, "--pretend-protocol", "99")
            _, said = server.process.communicate(timeout=10)
            for code, text in [(client.returncode, client.stderr), (server.process.returncode, said)]:
                self.assertEqual(code, 2, text)
                self.assertIn("protocol 2", text)
                self.assertIn("protocol 99", text)
                self.assertIn("expected", text)

    def test_ANewerWireProtocolIsNamedWithBothVersionsWithinTheDeadline(self):
        with Server(command=[NEWER_PEER]) as peer:
            start = time.monotonic()
            client = run("put-lat", "--client", peer.address, "--deadline", "3", LINTEL_PROVIDER="net")
            self.assertLess(time.monotonic() - start, 6)
            self.assertEqual(client.returncode, 2, client.stderr)
            self.assertEqual(client.stdout, "")
            self.assertRegex(client.stderr, r"the peer speaks an incompatible version of the wire protocol.*; it speaks version 2 .*this process speaks "
                                            r"version 1 ")
            said = [line for line in client.stderr.splitlines() if line.startswith("lintel-perf: ")]
            self.assertEqual(len(said), 1, client.stderr)
            self.assertIn(peer.address.replace(":", " pid "), said[0])
            self.assertIn("expected", said[0])

    def test_AServerOnAnotherProviderIsGivenUpWithinTheDeadline(self):
        for here, there in [("net", "tcp;ofi_rxm"), ("tcp;ofi_rxm", "net"), ("shm", "net")]:
            with self.subTest(client=here, server=there), Server(LINTEL_PROVIDER=there) as server:
                start = time.monotonic()
                client = run("put-lat", "--client", server.address, "--deadline", "2", LINTEL_PROVIDER=here)
                self.assertLess(time.monotonic() - start, 5)
                self.assertEqual(client.returncode, 2, client.stderr)
                said = [line for line in client.stderr.splitlines() if line.startswith("lintel-perf: ")]
                self.assertEqual(len(said), 1, client.stderr)
                self.assertIn(server.address.replace(":", " pid "), said[0])
                again = run("put-lat", "--client", server.address, "--sizes", "8", *SHORT, LINTEL_PROVIDER=there)
                self.assertEqual(again.returncode, 0, "the server serves no more: " + again.stderr)

    # -- processes that die -------------------------------------------------------------------------------------------------------------------------

    def gives_up_on_a_killed_client(self, name, *arguments):
        with Server("--deadline", "3") as server:
            client = subprocess.Popen([TOOL, name, "--client", server.address, *arguments, "--sizes", "8", "--iterations", "100000000",
                                       "--no-validate"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment())
            wait_until(lambda: "begins" in server.process.stdout.readline(), 10)
            time.sleep(0.3)
            client.kill()
            client.communicate()
            start = time.monotonic()
            result = run("get-lat", "--client", server.address, *arguments, "--sizes", "8", "--deadline", "15", *SHORT)
            while result.returncode != 0 and "busy" in result.stderr and time.monotonic() - start < 15:
                result = run("get-lat", "--client", server.address, *arguments, "--sizes", "8", "--deadline", "15", *SHORT)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_AServerGivesUpOnAClientThatWasKilledAndServesTheNext(self):
        for name in ["put-lat", "put-bw", "get-bw", "put-bibw"]:
            with self.subTest(name):
                self.gives_up_on_a_killed_client(name)

    def test_AServerGivesUpOnAClientThatWasKilledThroughPortals4(self):
        for arguments in PORTALS4:
            for name in ["put-lat", "get-bw", "put-bibw"]:
                with self.subTest(name, arguments=arguments):
                    self.gives_up_on_a_killed_client(name, *arguments)

    def reports_a_killed_server(self, name, *arguments):
        with Server() as server, tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "r.json")
            client = subprocess.Popen([TOOL, name, "--client", server.address, *arguments, "--sizes", "8", "--iterations", "100000000",
                                       "--no-validate", "--deadline", "3", "--json", report], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                      text=True, env=environment())
            wait_until(lambda: "begins" in server.process.stdout.readline(), 10)
            time.sleep(0.3)
            server.process.kill()
            start = time.monotonic()
            _, said = client.communicate(timeout=20)
            self.assertLess(time.monotonic() - start, 12)
            self.assertEqual(client.returncode, 2, said)
            self.assertEqual(len([line for line in said.splitlines() if line.startswith("lintel-perf: ")]), 1, said)
            with open(report, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["status"], "failed")

    def test_AClientReportsAServerThatWasKilled(self):
        for name in ["put-lat", "put-bw", "get-bw", "put-bibw", "swap-lat"]:
            with self.subTest(name):
                self.reports_a_killed_server(name)

    def test_AClientReportsAServerThatWasKilledThroughPortals4WithEvents(self):
        for name in ["put-lat", "put-bw", "get-bw", *ATOMICS]:
            with self.subTest(name):
                self.reports_a_killed_server(name, *PORTALS4[0])

    def test_AClientReportsAServerThatWasKilledThroughPortals4WithCounters(self):
        for name in ["put-lat", "put-bw", "get-bw", *ATOMICS]:
            with self.subTest(name):
                self.reports_a_killed_server(name, *PORTALS4[1])

    def test_TheSecondProcessDiesWithTheFirst(self):
        first = subprocess.Popen([TOOL, "put-lat", "--sizes", "8", "--iterations", "100000000"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 text=True, env=environment())
        first.stdout.readline()  # the table's first line: both are there
        second = children_of(first.pid)[0]
        first.send_signal(signal.SIGKILL)
        first.communicate()
        self.assertTrue(wait_until(lambda: not is_running(second), 5))

    def test_NoProcessIsLeftBehind(self):
        first = subprocess.Popen([TOOL, "put-lat", "--sizes", "8", "--iterations", "2000"], stdout=subprocess.PIPE, text=True, env=environment())
        first.stdout.readline()
        second = children_of(first.pid)[0]
        first.communicate(timeout=30)
        self.assertEqual(first.returncode, 0)
        self.assertFalse(is_running(second))


def main():
    global TOOL, NEWER_PEER
    names = unittest.TestLoader().getTestCaseNames(LintelPerf)
    if sys.argv[1:] == ["--list"]:
        print("\n".join(name.removeprefix("test_") for name in names))
        return 0
    TOOL = os.path.abspath(sys.argv[1])
    arguments = sys.argv[2:]
    if arguments and arguments[0].startswith("--newer-peer="):
        NEWER_PEER = arguments.pop(0).partition("=")[2]
    if arguments and arguments[0].startswith("--provider="):
        os.environ["LINTEL_PROVIDER"] = arguments.pop(0).partition("=")[2].replace("+", ";")
    chosen = [f"test_{name}" for name in arguments] or names
    suite = unittest.TestSuite(LintelPerf(name) for name in chosen)
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
