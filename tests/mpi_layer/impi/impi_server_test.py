#!/usr/bin/env python3
"""impi-server as its users run it, by raw bytes over TCP.

Usage: impi_server_test.py TOOL [CLAUSE...]
       impi_server_test.py --list
"""

import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

TOOL = ""
LIMIT = 30
VERSION, NHOSTS, NPROCS = 0x1000, 0x1100, 0x1200
DONE = b"DONE" + bytes(4)
FINI = b"FINI" + bytes(4)


def command(word, payload=b""):
    return word + struct.pack(">I", len(payload)) + payload


def coll(label, payload):
    return command(b"COLL", struct.pack(">i", label) + payload)


def answer(label, mask, payload):
    return command(b"COLL", struct.pack(">iI", label, mask) + payload)


def environment(none="", key=None):
    own = {name: value
           for name, value in os.environ.items()
           if not name.startswith(("IMPI_", "LINTEL_"))}
    if none is not None:
        own["IMPI_AUTH_NONE"] = none
    if key is not None:
        own["IMPI_AUTH_KEY"] = key
    return own


def run(*arguments, env=None):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=LIMIT,
                          stdin=subprocess.DEVNULL, env=env or environment())


class Client:
    def __init__(self, address):
        self.socket = socket.create_connection(address, timeout=LIMIT)

    def send(self, data):
        self.socket.sendall(data)

    def receive(self, size):
        data = b""
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            if not piece:
                raise EOFError(f"the server closed after {data!r}; {size} bytes were expected")
            data += piece
        return data

    def is_closed(self):
        """Waits for the end, before which nothing may come."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def is_quiet(self, seconds=0.2):
        return not select.select([self.socket], [], [], seconds)[0]

    def authenticate(self, mask=1, key=None):
        self.send(command(b"AUTH", struct.pack(">I", mask)))
        which = struct.unpack(">II", self.receive(8))
        if key is not None:
            self.send(struct.pack(">Q", key))
        return which

    def join(self, rank, **how):
        self.authenticate(**how)
        self.send(command(b"IMPI", struct.pack(">i", rank)))


class ImpiServer(unittest.TestCase):
    def setUp(self):
        self.server = None
        self.clients = []

    def tearDown(self):
        for client in self.clients:
            client.socket.close()
        if self.server is not None:
            if self.server.poll() is None:
                self.server.kill()
            self.server.communicate()

    def start(self, *arguments, env=None):
        self.server = subprocess.Popen([TOOL, *arguments], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                                       env=env or environment())
        line = self.server.stdout.readline()
        self.assertRegex(line, r"^\d+\.\d+\.\d+\.\d+:\d+\n$")
        host, port = line.strip().split(":")
        self.address = (host, int(port))

    def connect(self):
        self.clients.append(Client(self.address))
        return self.clients[-1]

    def joined(self, count, **how):
        clients = [self.connect() for _ in range(count)]
        for rank, client in enumerate(clients):
            client.join(rank, **how)
        for client in clients:
            self.assertEqual(client.receive(12), command(b"IMPI", struct.pack(">I", count)))
        return clients

    def started(self, count, **how):
        clients = self.joined(count, **how)
        for client in clients:
            client.send(DONE)
        for client in clients:
            data = b""
            while not data.endswith(DONE):
                data += client.receive(1)
        return clients

    def ends(self):
        """Exit code and what it said on standard error."""
        _, said = self.server.communicate(timeout=LIMIT)
        return self.server.returncode, said

    # -- a whole job -------------------------------------------------------------------------------

    def test_TwoClientsGoThroughAWholeJob(self):
        self.start("-server", "2")
        clients = self.joined(2)
        for label, contributions in ((VERSION, (bytes(8), bytes(8) + struct.pack(">II", 0, 1))),
                                     (NHOSTS, (b"\0\0\0\1", b"\0\0\0\2"))):
            for client, contribution in zip(clients, contributions):
                client.send(coll(label, contribution))
            expected = answer(label, 3, b"".join(contributions))
            for client in clients:
                self.assertEqual(client.receive(len(expected)), expected)
        for client in clients:
            client.send(DONE)
        for client in clients:
            data = b""
            while not data.endswith(DONE):
                data += client.receive(1)
        self.assertTrue(all(client.is_quiet() for client in clients))
        for client in clients:
            client.send(FINI)
        self.assertEqual(self.ends(), (0, ""))

    def test_ThirtyTwoClientsWithLargeContributions(self):
        self.start("-server", "32")
        clients = self.joined(32)
        contributions = [bytes([rank]) * (100000 + rank) for rank in range(32)]
        for client, contribution in zip(clients, contributions):
            client.send(coll(VERSION, contribution))
        expected = answer(VERSION, 0xFFFFFFFF, b"".join(contributions))
        for client in reversed(clients):  # the others take nothing meanwhile
            self.assertTrue(client.receive(len(expected)) == expected)
        for client in clients:
            client.send(DONE)
        for client in clients:
            while not client.receive(8).endswith(DONE):  # empty sets, 16 bytes each
                pass
            client.send(FINI)
        self.assertEqual(self.ends(), (0, ""))

    def test_AFiniOfTheLastClientMayComeWithItsEnd(self):
        self.start("-server", "1")
        client, = self.started(1)
        client.send(FINI)
        client.socket.close()
        self.assertEqual(self.ends(), (0, ""))

    # -- authentication ----------------------------------------------------------------------------

    def test_AKeyOfTheEnvironmentLetsClientsIn(self):
        self.start("-server", "2", "-v", env=environment(none=None, key="5678"))
        wrong = self.connect()
        self.assertEqual(wrong.authenticate(mask=2, key=5679), (1, 0))
        self.assertTrue(wrong.is_closed())
        none = self.connect()
        none.send(command(b"AUTH", b"\0\0\0\1"))
        self.assertTrue(none.is_closed())
        for client in self.started(2, mask=3, key=5678):
            client.send(FINI)
        code, said = self.ends()
        self.assertEqual(code, 0)
        self.assertIn("was not let in: it sent a wrong key\n", said)
        self.assertIn("was not let in: it can authenticate by NONE; expected KEY\n", said)
        for secret in ("5678", "5679", "162e"):
            self.assertNotIn(secret, re.sub(r":\d+", "", said))  # a port may have these digits

    def test_AKeyOfAFileLetsClientsInAndIsOnNoCommandLine(self):
        with tempfile.NamedTemporaryFile("w", encoding="ascii") as file:  # mode 600
            file.write("18446744073709551615\n")
            file.flush()
            self.start("-server", "1", "-key-file", file.name, env=environment(none=None))
            with open(f"/proc/{self.server.pid}/cmdline", "rb") as line:
                self.assertNotIn(b"18446744073709551615", line.read())
            for client in self.started(1, mask=2, key=2**64 - 1):
                client.send(FINI)
            self.assertEqual(self.ends(), (0, ""))
            os.chmod(file.name, 0o644)
            result = run("-server", "1", "-key-file", file.name, env=environment(none=None))
            self.assertEqual(result.returncode, 2)
            self.assertIn("has mode 644; expected 600", result.stderr)

    def test_TheListSaysWhichMechanismIsPreferred(self):
        for order, expected in (("1,0", 1), ("0-1", 0)):
            self.start("-server", "2", "-auth", order, env=environment(key="1"))
            self.assertEqual(self.connect().authenticate(mask=3), (expected, 0))
            self.tearDown()

    def test_WithoutAnyMechanismItEndsAtOnce(self):
        result = run("-server", "2", env=environment(none=None))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("impi-server: no client could authenticate", result.stderr)

    # -- clients that do not do as they should -----------------------------------------------------

    def test_ClientsThatStallDoNotBlockOthers(self):
        self.start("-server", "2")
        stalled = [self.connect() for _ in range(4)]
        stalled[1].send(b"AUT")
        stalled[2].authenticate()
        stalled[3].authenticate()
        stalled[3].send(b"IMPI\0\0\0\4\0")
        for client in self.started(2):
            client.send(FINI)
        for client in stalled:
            self.assertTrue(client.is_closed())
        self.assertEqual(self.ends()[0], 0)

    def test_SilentConnectionsTimeOut(self):
        self.start("-server", "1", "-timeout", "200ms")
        silent, half = self.connect(), self.connect()
        half.authenticate()
        self.assertTrue(silent.is_closed())
        self.assertTrue(half.is_closed())
        client = self.connect()
        client.join(0)
        self.assertEqual(client.receive(12), command(b"IMPI", b"\0\0\0\1"))
        self.assertTrue(client.is_closed())
        code, said = self.ends()
        self.assertEqual(code, 1)
        self.assertEqual(said.count("did not join within 200ms"), 2)
        self.assertIn("client 0 (127.0.0.1:", said)
        self.assertIn(
            "was lost during start-up: it did not send its next label, or DONE, within 200ms", said)

    def test_ARunningJobDoesNotTimeOut(self):
        self.start("-server", "2", "-timeout", "100ms")
        clients = self.started(2)
        self.assertTrue(clients[0].is_quiet(0.5))
        for client in clients:
            client.send(FINI)
        self.assertEqual(self.ends(), (0, ""))

    def test_AClientThatIsLostBeforeFiniIsNamed(self):
        self.start("-server", "2")
        clients = self.started(2)
        host, port = clients[1].socket.getsockname()
        clients[1].socket.close()
        self.assertTrue(clients[0].is_quiet())
        clients[0].send(FINI)
        self.assertEqual(self.ends(), (
            1,
            f"impi-server: client 1 ({host}:{port}) was lost before its FINI: it closed its "
            "connection\n"))

    def test_AClientThatIsLostDuringStartUpEndsTheJob(self):
        self.start("-server", "3")
        clients = self.joined(3)
        clients[0].send(coll(VERSION, bytes(8)))
        # as if it had crashed
        clients[2].socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        clients[2].socket.close()
        self.assertTrue(clients[0].is_closed())
        self.assertTrue(clients[1].is_closed())
        code, said = self.ends()
        self.assertEqual(code, 1)
        self.assertRegex(said,
                         r"client 2 \(127\.0\.0\.1:\d+\) was lost during start-up: .*Connection "
                         r"reset by peer; the job cannot start")

    def test_LabelsOutOfOrderEndTheJob(self):
        self.start("-server", "2")
        clients = self.joined(2)
        clients[0].send(coll(NPROCS, b"\0\0\0\1") + coll(NHOSTS, b"\0\0\0\1"))
        self.assertTrue(clients[1].is_closed())
        code, said = self.ends()
        self.assertEqual(code, 1)
        self.assertIn("it sent label IMPI_C_NHOSTS (0x1100) after IMPI_C_NPROCS (0x1200); expected "
                      "ascending labels",
                      said)

    def test_WhatIsNotImpiIsRefusedAndTheServerGoesOn(self):
        self.start("-server", "1")
        browser = self.connect()
        browser.send(b"GET / HTTP/1.1\r\n\r\n")
        self.assertTrue(browser.is_closed())
        for client in self.started(1):
            client.send(FINI)
        code, said = self.ends()
        self.assertEqual(code, 0)
        self.assertIn('it sent 0x47455420 ("GET "); expected AUTH', said)

    # -- the tool ----------------------------------------------------------------------------------

    def test_TheListenerIsClosedWhenAllHaveJoined(self):
        self.start("-server", "1")
        self.joined(1)
        with self.assertRaises(ConnectionRefusedError):
            Client(self.address)

    def test_ItListensOnOneAddressOnly(self):
        self.start("-server", "1")
        self.assertEqual(self.address[0], "127.0.0.1")
        with self.assertRaises(ConnectionRefusedError):
            Client(("127.0.0.2", self.address[1]))
        self.tearDown()
        self.start("-server", "1", "-host", "127.0.0.2")
        self.assertEqual(self.address[0], "127.0.0.2")
        self.connect()

    def test_ThePortMayBeChosenAndUsedAgainAtOnce(self):
        self.start("-server", "1")
        port = str(self.address[1])
        for client in self.started(1):
            client.send(FINI)
        self.assertEqual(self.ends()[0], 0)
        self.start("-server", "1", "-port", port)
        self.assertEqual(str(self.address[1]), port)
        taken = run("-server", "1", "-p", port)
        self.assertEqual(taken.returncode, 1)
        self.assertEqual(
            taken.stderr,
            f"impi-server: cannot listen on 127.0.0.1:{port}: bind: Address already in use\n")

    def test_VerboseTellsEachStep(self):
        self.start("-server", "2", "-v")
        clients = self.started(2)
        for client in clients:
            client.send(FINI)
        code, said = self.ends()
        self.assertEqual(code, 0)
        for rank in (0, 1):
            self.assertRegex(said, rf"client {rank} \(127\.0\.0\.1:\d+\) has joined\n")
            self.assertRegex(said, rf"client {rank} \(127\.0\.0\.1:\d+\) has ended\n")
        self.assertIn("label IMPI_C_NHOSTS (0x1100) is complete: clients 0x0, bytes 0\n", said)
        self.assertIn("start-up is over\n", said)

    def test_ItGoesOnWhenNobodyReadsWhatItSays(self):
        self.start("-server", "2", "-v")
        self.server.stdout.close()
        self.server.stderr.close()
        for client in self.started(2):
            client.send(FINI)
        self.assertEqual(self.server.wait(timeout=LIMIT), 0)
        self.server = None

    def test_AWrongCommandLineIsNamed(self):
        result = run("-server", "33")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(
            result.stderr,
            "impi-server: -server: '33' is not usable; expected a number of clients from 1 to 32\n")

    def test_HelpAndVersionAreTold(self):
        told = run("-help", env=environment(none=None))
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        for word in ("--server N", "--port P", "--auth LIST", "--host ADDRESS", "--key-file FILE",
                     "--timeout TIME", "IMPI_AUTH_KEY", "Exit code"):
            self.assertIn(word, told.stdout)
        self.assertRegex(run("-version").stdout, r"^impi-server \d+\.\d+\.\d+\n$")

    def test_ASignalEndsIt(self):
        self.start("-server", "1")
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(timeout=LIMIT), -signal.SIGTERM)


def main():
    global TOOL
    names = unittest.TestLoader().getTestCaseNames(ImpiServer)
    if sys.argv[1:] == ["--list"]:
        print("\n".join(name.removeprefix("test_") for name in names))
        return 0
    TOOL = os.path.abspath(sys.argv[1])
    chosen = [f"test_{name}" for name in sys.argv[2:]] or names
    suite = unittest.TestSuite(ImpiServer(name) for name in chosen)
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
