#!/usr/bin/env python3
"""test_report_test.py <tools/test_report>: what the gate says of a run of CTest.

Also that the gate fails when a label or a network has been left without tests.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

REPORT = ""
ALL = {
    "unit.a": ["unit"], "protocol.a": ["protocol"], "fabric.a": ["fabric", "threads"],
    "package.a": ["package"], "fuzz.a": ["fuzz"], "cost.a": ["cost"], "script.a": ["script"], **{
        f"{kind}.S.A/{network}": [kind, network]
        for kind in ("system", "fault") for network in ("direct", "net", "tcp_ofi_rxm", "shm")
    },
}


def case_of(name, outcome, output):
    inside = {"passed": "", "failed": '<failure message=""/>',
              "skipped": '<skipped message=""/>'}[outcome]
    return f'<testcase name="{name}">{inside}<system-out>{output}</system-out></testcase>'


class TestReport(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def results(self, *cases):
        return self.path("results.xml",
                         f"<testsuite>{''.join(case_of(*case) for case in cases)}</testsuite>")

    def tree(self, labels):
        tests = [{"name": name, "properties": [{"name": "LABELS", "value": value}]}
                 for name, value in labels.items()]
        return self.path("tree.json", json.dumps({"tests": tests}))

    def run_report(self, *words):
        done = subprocess.run([REPORT, *words], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def covered(self, labels, names):
        return self.run_report("--covered", self.tree(labels),
                               self.results(*((name, "passed", "") for name in names)))

    def test_PassedFailedAndSkippedAreCountedAndNamed(self):
        report = self.results(("unit.a", "passed", ""), ("unit.b", "failed", "x"),
                              ("unit.c", "skipped", "said\nwhy"))
        self.assertEqual(self.run_report(report)[:2],
                         (0, ["1 1 1", "failed unit.b", "said x", "skipped unit.c: why"]))

    def test_TheLastLinesOfATestThatFailedAreShown(self):
        report = self.results(
            ("unit.a", "failed", "".join(f"line {number}\n" for number in range(100))))
        self.assertEqual(
            self.run_report(report)[1],
            ["0 1 0", "failed unit.a", *(f"said line {number}" for number in range(60, 100))])

    def test_WhatASanitizerReportsIsAFailureOfItsOwnKind(self):
        report = self.results(
            ("unit.a", "failed", "==1==ERROR: AddressSanitizer: heap-use-after-free"))
        self.assertEqual(
            self.run_report(report)[1],
            ["0 1 0", "found unit.a", "said ==1==ERROR: AddressSanitizer: heap-use-after-free"])

    def test_ASkippedCaseOfAProgramOfManyIsNamedWithItsReason(self):
        report = self.results(
            ("fabric.a", "passed",
             "a_test.cpp:7: Skipped\nno such\nprovider\n[  SKIPPED ] S.A (0 ms)\n"))
        self.assertEqual(
            self.run_report(report)[1], ["1 0 1", "skipped a case of fabric.a: no such provider"])

    def test_EveryLabelAndNetworkWithATestIsEnough(self):
        self.assertEqual(self.covered(ALL, ALL)[:2], (0, []))

    def test_ALabelWithoutAPassedTestIsNamed(self):
        code, lines, _ = self.covered(ALL, [name for name in ALL if name != "cost.a"])
        self.assertEqual((code, lines), (1, ["no test with the label cost passed"]))

    def test_ANetworkWithoutAPassedTestIsNamed(self):
        code, lines, _ = self.covered(ALL, [name for name in ALL if name != "fault.S.A/net"])
        self.assertEqual((code, lines), (1, ["no fault test passed on the network net"]))

    def test_ATestThatLeavesOutTheDefaultNetworkIsNamed(self):
        labels = {**ALL, "system.S.B/shm": ["system", "shm"]}
        code, lines, _ = self.covered(labels, ALL)
        self.assertEqual((code, lines),
                         (1, ["system.S.B/shm does not run on direct, the default network"]))

    def test_ATestThatNamesNoNetworkIsTheOneOnTheDefault(self):
        labels = {**ALL, "system.P.B": ["system", "direct", "default"],
                  "system.P.shm.B": ["system", "shm"]}
        self.assertEqual(self.covered(labels, ALL)[:2], (0, []))

    def test_ATestWithoutItsLabelsIsNamed(self):
        code, lines, _ = self.covered({**ALL, "system.x": ["system"], "y": []}, ALL)
        self.assertEqual(code, 1)
        self.assertIn(
            "system.x has the labels system; expected one of direct net tcp_ofi_rxm shm", lines)
        self.assertIn("y has the labels none; expected one of unit protocol fabric system fault "
                      "package fuzz cost script",
                      lines)

    def test_ACommandLineThatIsNotUnderstoodIsRefusedWithASentence(self):
        for words in ((), ("--covered",), ("--covered", "a"), ("a", "b"), ("--other",)):
            code, _, said = self.run_report(*words)
            self.assertEqual(code, 2, words)
            self.assertIn("expected RESULTS", said)


if __name__ == "__main__":
    REPORT = os.path.abspath(sys.argv.pop(1))
    unittest.main()
