"""The same through Portals 4."""

import csv
import json
import os
import tempfile

from perf_tool import ATOMICS, MEASUREMENTS, PORTALS4, SHORT, PerfTest, Server, json_of, run


class Portals4(PerfTest):
    def test_EveryMeasurementGoesThroughPortals4AndIsVerified(self):
        for arguments in PORTALS4:
            for name in MEASUREMENTS + ATOMICS:
                with self.subTest(name, arguments=arguments):
                    report = json_of(name, *arguments, "--sizes", "64,8,1016",
                                     "--passive-seconds", "0.2", *SHORT)
                    self.assertEqual((report["api"], report["notify"]), (4, arguments[-1]))
                    self.assertTrue(report["validated"])
                    self.assertEqual([row["size_bytes"] for row in report["results"]],
                                     [64, 8, 1016])
                    for row in report["results"]:
                        self.assertGreater(row["verified_messages"], 0)
                        self.assertTrue(
                            all(value["value"] > 0
                                for value in row.values()
                                if isinstance(value, dict)), row)

    def test_EveryMessageOfAVerifiedPassIsCountedThroughPortals4(self):
        for arguments in PORTALS4:
            for name, messages in [("put-lat", 40), ("put-bw", 20), ("put-bibw", 40),
                                   ("get-lat", 20), ("get-bw", 20), ("swap-lat", 20),
                                   ("fetch-lat", 20), ("atomic-rate", 40)]:
                with self.subTest(name, arguments=arguments):
                    report = json_of(name, *arguments, "--sizes", "8", *SHORT)
                    self.assertEqual(report["results"][0]["verified_messages"], messages)

    def test_LargeMessagesOfOddSizesArriveWholeThroughPortals4(self):
        for arguments in PORTALS4:
            for name in ["put-lat", "put-bw", "put-bibw", "get-lat", "get-bw"]:
                with self.subTest(name, arguments=arguments):
                    report = json_of(name, *arguments, "--sizes", "4095,65537,1000001", *SHORT)
                    self.assertEqual([row["size_bytes"] for row in report["results"]],
                                     [4095, 65537, 1000001])

    def test_ScatteredMemoryArrivesWholeThroughPortals4(self):
        for arguments in PORTALS4:
            for name, sizes in [("put-bibw", "3,1000,100001"), ("get-bw", "3,1000,100001"),
                                ("swap-lat", "3,1000"), ("fetch-lat", "8,1000"),
                                ("atomic-rate", "8,1000")]:
                with self.subTest(name, arguments=arguments):
                    report = json_of(name, *arguments, "--sizes", sizes, "--iovec", "5", *SHORT)
                    self.assertEqual(report["iovec_pieces"], 5)
                    self.assertEqual(len(report["results"]), len(sizes.split(",")))

    def test_LocalCompletionCountsMorePutsThanAQueueHoldsThroughPortals4(self):
        for arguments in PORTALS4:
            with self.subTest(arguments):
                report = json_of("msg-rate", *arguments, "--completion", "local",
                                 "--iterations", "70000", "--repeats", "1", "--warm-up", "1")
                self.assertEqual(report["completion"], "local")
                self.assertEqual(report["results"][0]["iterations"], 70000)

    def test_EveryReportSaysWhichApiAndHowCompletionIsLearnt(self):
        for arguments, api, notify in [([], 3, "events"), (PORTALS4[0], 4, "events"),
                                       (PORTALS4[1], 4, "counters")]:
            with self.subTest(arguments), tempfile.TemporaryDirectory() as folder:
                json_file, csv_file = os.path.join(folder, "r.json"), os.path.join(folder, "r.csv")
                result = run("put-lat", *arguments, "--sizes", "8", "--json", json_file,
                             "--csv", csv_file, *SHORT)
                self.assertIn(f"# API: Portals {api}, completion by {notify}\n", result.stdout)
                with open(json_file, encoding="utf-8") as file:
                    report = json.load(file)
                self.assertEqual((report["api"], report["notify"]), (api, notify))
                with open(csv_file, encoding="utf-8", newline="") as file:
                    rows = list(csv.DictReader(file))
                self.assertEqual([(row["api"], row["notify"]) for row in rows],
                                 [(str(api), notify)])

    def test_TheMethodIsInTheWordsOfTheApi(self):
        for arguments, words in [([], "from PtlGetPut to its REPLY_END,"),
                                 (PORTALS4[0], "from PtlSwap to its REPLY,"),
                                 (PORTALS4[1], "from PtlSwap to its counted REPLY,")]:
            with self.subTest(arguments):
                self.assertIn(words,
                              json_of("swap-lat", *arguments, "--sizes", "8", *SHORT)["method"])

    def test_AServerServesClientsOfBothApis(self):
        with Server() as server:
            for arguments in [PORTALS4[0], [], PORTALS4[1], PORTALS4[0]]:
                result = run("put-bibw", "--client", server.address, *arguments, "--sizes", "8,64K",
                             *SHORT)
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIsNone(server.process.poll())
