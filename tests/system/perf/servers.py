"""Two processes that find each other by address."""

import subprocess
import time

from perf_tool import (SHORT, PerfTest, Server, environment, newer_peer, older_peer, run, tool,
                       wait_until)

# Seconds after which lintel-perf gives up without --deadline, and Lintel without
# LINTEL_CONNECT_TIMEOUT. Less than that shows that a shorter deadline was kept, however long
# processes take to start.
DEFAULT_DEADLINE = 10


class Servers(PerfTest):
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
            first = subprocess.Popen([tool(), "passive", "--client", server.address,
                                      "--sizes", "8,16,32,64", "--passive-seconds", "0.5"],
                                     stdout=subprocess.PIPE, text=True, env=environment())
            wait_until(lambda: "begins" in server.process.stdout.readline(), 10)
            second = run("put-lat", "--client", server.address, "--sizes", "8", *SHORT)
            self.assertEqual(second.returncode, 2, second.stderr)
            self.assertIn("busy", second.stderr)
            first.communicate(timeout=30)
            self.assertEqual(first.returncode, 0)

    def names_both_protocols(self, code, text):
        self.assertEqual(code, 2, text)
        self.assertIn("protocol 2", text)
        self.assertIn("protocol 3", text)
        self.assertIn("expected", text)

    def test_AClientAndAnOlderServerNameBothProtocols(self):
        with Server(command=[older_peer()]) as server:
            client = run("put-lat", "--client", server.address)
            _, said = server.process.communicate(timeout=30)
            self.names_both_protocols(client.returncode, client.stderr)
            self.names_both_protocols(server.process.returncode, said)

    def test_AServerAndAnOlderClientNameBothProtocols(self):
        with Server("--once") as server:
            client = subprocess.run([older_peer(), server.address.rpartition(":")[2]],
                                    capture_output=True, text=True, timeout=60, env=environment())
            _, said = server.process.communicate(timeout=30)
            self.names_both_protocols(client.returncode, client.stderr)
            self.names_both_protocols(server.process.returncode, said)

    def test_ANewerWireProtocolIsNamedWithBothVersionsWithinTheDeadline(self):
        with Server(command=[newer_peer()]) as peer:
            start = time.monotonic()
            client = run("put-lat", "--client", peer.address, "--deadline", "3",
                         LINTEL_PROVIDER="net")
            self.assertLess(time.monotonic() - start, DEFAULT_DEADLINE)
            self.assertEqual(client.returncode, 2, client.stderr)
            self.assertEqual(client.stdout, "")
            self.assertRegex(client.stderr,
                             r"the peer speaks an incompatible version of the wire protocol.*; it "
                             r"speaks version 3 .*this process speaks "
                             r"version 2 ")
            said = [line for line in client.stderr.splitlines() if line.startswith("lintel-perf: ")]
            self.assertEqual(len(said), 1, client.stderr)
            self.assertIn(peer.address.replace(":", " pid "), said[0])
            self.assertIn("expected", said[0])

    def test_AServerOnAnotherProviderIsGivenUpWithinTheDeadline(self):
        for here, there in [("direct", "net"), ("net", "direct"), ("net", "tcp;ofi_rxm"),
                            ("tcp;ofi_rxm", "net"), ("shm", "direct")]:
            with self.subTest(client=here, server=there), Server(LINTEL_PROVIDER=there) as server:
                start = time.monotonic()
                client = run("put-lat", "--client", server.address, "--deadline", "2",
                             LINTEL_PROVIDER=here)
                self.assertLess(time.monotonic() - start, DEFAULT_DEADLINE)
                self.assertEqual(client.returncode, 2, client.stderr)
                said = [line
                        for line in client.stderr.splitlines()
                        if line.startswith("lintel-perf: ")]
                self.assertEqual(len(said), 1, client.stderr)
                self.assertIn(server.address.replace(":", " pid "), said[0])
                again = run("put-lat", "--client", server.address, "--sizes", "8", *SHORT,
                            LINTEL_PROVIDER=there)
                self.assertEqual(again.returncode, 0, "the server serves no more: " + again.stderr)
