"""Processes that die."""

import json
import os
import signal
import subprocess
import tempfile
import time

from perf_tool import (ATOMICS, PORTALS4, SHORT, PerfTest, Server, children_of, environment,
                       is_running, returning_client, run, tool, wait_until)


class Deaths(PerfTest):
    def gives_up_on_a_killed_client(self, name, *arguments):
        with Server("--deadline", "3") as server:
            client = subprocess.Popen([
                tool(), name, "--client", server.address, *arguments, "--sizes", "8",
                "--iterations", "100000000", "--no-validate"
            ], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment())
            wait_until(lambda: "begins" in server.process.stdout.readline(), 10)
            time.sleep(0.3)
            client.kill()
            client.communicate()
            start = time.monotonic()
            result = run("get-lat", "--client", server.address, *arguments, "--sizes", "8",
                         "--deadline", "15", *SHORT)
            while (result.returncode != 0 and "busy" in result.stderr
                   and time.monotonic() - start < 15):
                result = run("get-lat", "--client", server.address, *arguments, "--sizes", "8",
                             "--deadline", "15", *SHORT)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_AServerGivesUpOnAClientThatWasKilledAndServesTheNext(self):
        for name in ["put-lat", "put-bw", "get-bw", "put-bibw"]:
            with self.subTest(name):
                self.gives_up_on_a_killed_client(name)

    def test_AServerTellsTheNextClientFromOneOfItsNameThatWasKilled(self):
        with Server("--deadline", "60") as server:
            result = subprocess.run([returning_client(), server.address.rpartition(":")[2]],
                                    capture_output=True, text=True, timeout=60, env=environment())
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_AServerGivesUpOnAClientThatWasKilledThroughPortals4(self):
        for arguments in PORTALS4:
            for name in ["put-lat", "get-bw", "put-bibw"]:
                with self.subTest(name, arguments=arguments):
                    self.gives_up_on_a_killed_client(name, *arguments)

    def reports_a_killed_server(self, name, *arguments):
        with Server() as server, tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "r.json")
            client = subprocess.Popen([
                tool(), name, "--client", server.address, *arguments, "--sizes", "8",
                "--iterations", "100000000", "--no-validate", "--deadline", "3", "--json", report
            ], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment())
            wait_until(lambda: "begins" in server.process.stdout.readline(), 10)
            time.sleep(0.3)
            server.process.kill()
            start = time.monotonic()
            _, said = client.communicate(timeout=20)
            self.assertLess(time.monotonic() - start, 12)
            self.assertEqual(client.returncode, 2, said)
            self.assertEqual(
                len([line for line in said.splitlines() if line.startswith("lintel-perf: ")]), 1,
                said)
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
        first = subprocess.Popen(
            [tool(), "put-lat", "--sizes", "8", "--iterations", "100000000"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment())
        first.stdout.readline()  # the table's first line: both are there
        second = children_of(first.pid)[0]
        first.send_signal(signal.SIGKILL)
        first.communicate()
        self.assertTrue(wait_until(lambda: not is_running(second), 5))

    def test_NoProcessIsLeftBehind(self):
        first = subprocess.Popen(
            [tool(), "put-lat", "--sizes", "8", "--iterations", "2000"], stdout=subprocess.PIPE,
            text=True, env=environment())
        first.stdout.readline()
        second = children_of(first.pid)[0]
        first.communicate(timeout=30)
        self.assertEqual(first.returncode, 0)
        self.assertFalse(is_running(second))
