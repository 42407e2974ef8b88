"""What is measured and reported."""

import csv
import io
import json
import os
import tempfile

from perf_tool import MEASUREMENTS, SHORT, PerfTest, json_of, rows_of, run


class Measurements(PerfTest):
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
                self.assertEqual([row["size_bytes"] for row in report["results"]],
                                 [4095, 16384, 65537, 1048576, 3000001])

    def test_EveryMessageOfAVerifiedPassIsCounted(self):
        for name, messages in [("put-lat", 40), ("put-bw", 20), ("put-bibw", 40), ("get-lat", 20),
                               ("get-bw", 20), ("swap-lat", 20), ("quick", 100)]:
            with self.subTest(name):
                report = json_of(name, "--sizes", "8", *SHORT)
                self.assertTrue(report["validated"])
                self.assertEqual(report["results"][0]["verified_messages"], messages)

    def test_ScatteredMemoryArrivesWhole(self):
        for name in ["put-lat", "put-bw", "put-bibw", "get-lat", "get-bw", "passive"]:
            with self.subTest(name):
                report = json_of(name, "--sizes", "3,1000,100001", "--iovec", "5",
                                 "--passive-seconds", "0.2", *SHORT)
                self.assertEqual(report["iovec_pieces"], 5)
                self.assertEqual(len(report["results"]), 3)

    def test_TheHeaderSaysWhatUnderWhichConditions(self):
        header = [line
                  for line in run("put-bw", "--sizes", "8", "--cpu", "0", "--window", "7",
                                  *SHORT).stdout.splitlines()
                  if line.startswith("#")]
        text = "\n".join(header)
        for expected in ["put bandwidth", "Window: 7", "remote", "CPU 0", "MB = 1e6", "verified",
                         "Provider", "127.0.0.1"]:
            self.assertIn(expected, text)
        self.assertRegex(header[-1], r"^# Size +Put bandwidth \(MB/s\)$")

    def test_LatencyIsInMicrosecondsInTheLastHeaderLine(self):
        header = [line
                  for line in run("put-lat", "--sizes", "8", *SHORT).stdout.splitlines()
                  if line.startswith("#")]
        self.assertRegex(header[-1], r"^# Size +Put latency \(us\)$")

    def test_LocalCompletionIsSaid(self):
        result = run("put-bw", "--sizes", "8,64K", "--completion", "local", *SHORT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("local (a put is done with its SEND_END", result.stdout)
        self.assertEqual(
            json_of("put-bw", "--sizes", "8", "--completion", "local", *SHORT)["completion"],
            "local")

    def test_UnitsConvert(self):
        for units, key, per_second in [("MB", "MB_per_s", 1e6), ("MiB", "MiB_per_s", 1048576),
                                       ("Gb", "Gb_per_s", 1e9 / 8)]:
            with self.subTest(units):
                report = json_of("msg-rate", "--sizes", "1000", "--units", units,
                                 *SHORT)["results"][0]
                bytes_per_second = report["message_rate_per_s"]["passes"][0] * 1000
                self.assertAlmostEqual(
                    report[f"put_bandwidth_{key}"]["passes"][0] * per_second / bytes_per_second,
                    1.0, places=6)

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
            result = run("get-bw", "--sizes", "8,16", "--json", json_file, "--csv", csv_file,
                         *SHORT)
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
                report = json_of("passive", "--passive-mode", mode, "--passive-seconds", "0.5",
                                 "--sizes", "8,64K")
                for row in report["results"]:
                    self.assertGreater(row["put_to_ack_us"]["samples"], 0)
                    self.assertGreater(row["get_latency_us"]["samples"], 0)
                    self.assertEqual(row["verified_messages"], 2 * row["put_to_ack_us"]["samples"])
