#!/usr/bin/env python3
"""Strangers that attack processes through sessions, and belong to no job.

  session_strangers.py SEED NETWORK PROGRAMS [FROM]  obeys lines of standard input, until its end:
    targets VERSION:NAME... whom to attack, by that version of Portals; NAME and FROM are those of
                            strangers.py
    report                  asks for a line: how often each attack was made; how often, at least,
                            each of them on each target; how many sessions were opened, and how many
                            contacts were refused for want of the job's secret

Most are processes of the library that misbehave as soon as they have a session: soak_portals3 and
soak_portals4 of the folder PROGRAMS, as soak_stranger.c says. Each has another name. On `direct`
others speak the session's format themselves (doc/wire_format.md, section 3), because the library
does not ask for more than its peer may keep, and so that names can come and go fast.

An attack was made if its session was open, or was refused for want of the secret. A session counts
as open when memory of the target, which is open to strangers, was read through it.
"""

import asyncio
import collections
import hmac
import os
import signal
import socket
import struct
import sys

from names import name_in
from strangers import FRAME, FRAME_MAGIC, HELLO, MESSAGE, PIECE, Line, Strangers, run

AT_ONCE = 8  # attacks under way
# Seconds at most between two attacks of one stranger. A process without a secret serves strangers,
# so this limits what they cost it: a few hundredths of a processor.
PAUSE = 1
LONGEST = 120  # seconds: no attack takes so long
NAMES = 10  # sessions of one attack, one after the other
GETS = 500  # in one frame
# Of doc/wire_format.md.
ACKNOWLEDGE = 4  # kind of a piece
SESSION_VERSION, WELCOME, REFUSE, DATA, CONFIRM = 2, 2, 3, 4, 8
INTRODUCTION = struct.Struct("!IIQIIIBBH32s16s")  # up to the proof
PROOF_BYTES = 32
ECHOED_EPOCH_AND_REASON, SECRET_MISSING = struct.Struct("!IB"), 3
RECORD = struct.Struct("!II")
REQUEST = struct.Struct("!BBBBI8I4QIIQQ")
RESPONSE = struct.Struct("!BBBBI7IBBHQQQQ")  # up to manipulated_length
MESSAGE_VERSION, GET, REPLY, TRACKED = 1, 3, 4, 4
INTERFACE = {3: 0, 4: 3}  # of a version of Portals
# Of soak_portals.h and soak_portals4.c.
PORTAL, FOR_STRANGERS, SHORT_BYTES, LONG_BYTES = 4, 3, 64, 64 << 10
# What the library of a stranger logs when it is refused.
REFUSED = b"the peer has a job secret and this process has none"


class SessionStrangers(Strangers):
    at_once, pause, longest = AT_ONCE, PAUSE, LONGEST

    def __init__(self, seed, network, programs, *address):
        super().__init__(seed, ATTACKS + (ATTACKS_ON_DIRECT if network == "direct" else ()),
                         *address)
        self.programs = programs
        self.begun, self.made = collections.Counter(), collections.Counter()  # on each target
        self.opened = self.refused = 0

    def pairs(self):
        return [(attack, target) for attack in self.attacks for target in self.targets]

    def draw(self):
        """One of those that were begun least often."""
        pairs = self.pairs()
        least = min(self.begun[pair] for pair in pairs)
        pair = self.choice.choice([pair for pair in pairs if self.begun[pair] == least])
        self.begun[pair] += 1
        return pair

    def note(self, attack, target, made):
        if made:
            self.made[attack, target] += 1
            super().note(attack, target, made)

    def obey(self, order, words):
        if order == "targets":
            pairs = [word.split(":", 1) for word in words]
            self.targets = [(int(version), name_in(name)) for version, name in pairs]

    def figures(self):
        least = min((self.made[pair] for pair in self.pairs()), default=0)
        return {**self.counts, "least": least, "opened": self.opened, "refused": self.refused}


def state_of(pid):
    """The letter of proc(5); none if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return ""


class Intruder:
    """A process of the library, killed at the end."""

    def __init__(self, strangers, how, target):
        self.strangers, self.how = strangers, how
        self.version, self.name = target
        self.was_met = False  # it was refused, or has got a session

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            os.path.join(self.strangers.programs, f"soak_portals{self.version}"), "stranger",
            self.how, *map(str, self.name), stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        return self

    async def __aexit__(self, *_):
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    async def has_session(self):
        """Or else it has ended."""
        word = (await self.process.stdout.readline()).strip()
        if word == b"open":
            self.was_met = True
            self.strangers.opened += 1
            return True
        said = await self.process.stderr.read()
        if word == b"failed" and REFUSED in said:
            self.was_met = True
            self.strangers.refused += 1
        if await self.process.wait() < 0:
            self.fail(said, "it to end by itself")
        return False

    async def expect_end(self, code):
        if await self.process.wait() != code:
            self.fail(await self.process.stderr.read(), f"it to end with {code}")

    async def expect_life(self):
        if self.process.returncode is not None:
            self.fail(await self.process.stderr.read(), "it to live until it is killed")

    def fail(self, said, expected):
        raise RuntimeError(f"a stranger that {self.how} has ended with {self.process.returncode}, "
                           f"expected {expected}; it wrote\n{said.decode(errors='replace')}")

    async def stops(self):
        while state_of(self.process.pid) != "T":
            await self.expect_life()
            await asyncio.sleep(0.01)


# ---- Attacks by processes ----


async def asks_and_stops(strangers, target):
    async with Intruder(strangers, "asks", target) as intruder:
        if await intruder.has_session():
            await intruder.stops()
            await strangers.hold()
        return intruder.was_met


async def puts_for_ever(strangers, target):
    async with Intruder(strangers, "puts", target) as intruder:
        if await intruder.has_session():
            await strangers.hold()
            await intruder.expect_life()
        return intruder.was_met


async def stops_in_puts(strangers, target):
    """Some of them go on, and then all of their operations end."""
    async with Intruder(strangers, "halts", target) as intruder:
        if await intruder.has_session():
            await intruder.stops()
            await strangers.hold()
            if strangers.choice.randrange(2) == 0:
                intruder.process.send_signal(signal.SIGCONT)
                await intruder.expect_end(0)
        return intruder.was_met


async def leaves(strangers, target):
    async with Intruder(strangers, "leaves", target) as intruder:
        if await intruder.has_session():
            await intruder.expect_end(0)
        return intruder.was_met


async def dies(strangers, target):
    async with Intruder(strangers, "dies", target) as intruder:
        if await intruder.has_session():
            await intruder.expect_end(-signal.SIGKILL)
        return intruder.was_met


# ---- Attacks with the session's format ----


class Session:
    """A session over a connection, under a name of nobody."""

    def __init__(self, strangers, target, line, caller):
        self.strangers, self.line, self.caller = strangers, line, caller
        self.version, self.name = target
        self.slot = self.epoch = self.sequence = 0  # of the target; of the last DATA frame

    async def send(self, kind, body):
        frame = FRAME.pack(FRAME_MAGIC, SESSION_VERSION, kind, self.slot, self.epoch,
                           self.sequence, 0, len(body)) + body
        await self.line.send(PIECE.pack(len(frame), MESSAGE, 0, 0) + frame)

    async def receive_all(self, length):
        data = await self.line.receive(length)
        if len(data) < length:
            raise ConnectionError("the target has closed the connection")
        return data

    async def receive(self, *kinds):
        """The kind and the body of the next frame of these kinds."""
        while True:
            length, piece, _, _ = PIECE.unpack(await self.receive_all(PIECE.size))
            if piece == ACKNOWLEDGE:
                continue
            if piece != MESSAGE:
                raise RuntimeError(f"a piece of kind {piece} has come, expected a message")
            frame = await self.receive_all(length)
            kind = FRAME.unpack_from(frame)[2]
            if kind in kinds:
                return kind, frame[FRAME.size:]

    async def opens(self):
        """Whether it has begun. Otherwise it was refused."""
        if not await self.strangers.greet(self.line, self.caller, self.name):
            raise ConnectionError("the target does not accept the connection")
        choice = self.strangers.choice
        hello = INTRODUCTION.pack(*self.caller, choice.getrandbits(63) + 1, 1,
                                  choice.getrandbits(31) + 1, 0, SESSION_VERSION, 0, 0,
                                  b"direct 1.0", choice.randbytes(16))
        await self.send(HELLO, hello + bytes(PROOF_BYTES))
        kind, body = await self.receive(WELCOME, REFUSE)
        if kind == REFUSE:
            reason = ECHOED_EPOCH_AND_REASON.unpack_from(body)[1]
            if reason != SECRET_MISSING:
                raise RuntimeError(f"refused with reason {reason}, expected {SECRET_MISSING}")
            self.strangers.refused += 1
            return False
        self.slot, self.epoch = INTRODUCTION.unpack_from(body)[3:5]
        binding = b"".join(
            socket.inet_aton(host) + struct.pack("!H", port)
            for host, port in (self.line.socket.getsockname(), self.name.socket_address))
        version = bytes([SESSION_VERSION])
        await self.send(CONFIRM, hmac.digest(
            bytes(32), b"confirm" + binding + version + hello + version +
            body[:INTRODUCTION.size], "sha256"))
        await self.ask(1, SHORT_BYTES)
        await self.expect_reply(SHORT_BYTES)
        self.strangers.opened += 1
        return True

    async def ask(self, gets, length):
        """In one frame."""
        message = REQUEST.pack(MESSAGE_VERSION, GET, TRACKED, INTERFACE[self.version], 0,
                               *self.caller, os.getuid(), 0, *self.name, PORTAL, 0,
                               FOR_STRANGERS, 0, length, 0, 1, 1, 1, 0)
        self.sequence += 1
        await self.send(DATA, (RECORD.pack(len(message), 0) + message) * gets)

    async def expect_reply(self, length):
        _, body = await self.receive(DATA)
        if len(body) < RECORD.size + RESPONSE.size:
            raise ConnectionError("the target gives no answer: the name has another owner")
        fields = RESPONSE.unpack_from(body, RECORD.size)
        kind, failure, manipulated = fields[1], fields[12], fields[-1]
        if (kind, failure, manipulated) != (REPLY, 0, length):
            raise ConnectionError("the name has another owner, which has no memory for strangers")


async def reads_no_answers(strangers, target):
    """Asks for ever, until its session is ended because of that."""
    caller = strangers.name_of_nobody()
    async with Line(target[1], caller.nid, receive_buffer=1) as line:
        session = Session(strangers, target, line, caller)
        if await session.opens():
            try:
                while True:
                    await session.ask(GETS, LONG_BYTES)
                    await asyncio.sleep(0.001)
            except ConnectionError:
                pass
    await strangers.hold()
    return True


async def comes_and_goes(strangers, target):
    for _ in range(NAMES):
        caller = strangers.name_of_nobody()
        async with Line(target[1], caller.nid) as line:
            await Session(strangers, target, line, caller).opens()
    await strangers.hold()
    return True


ATTACKS = (asks_and_stops, puts_for_ever, stops_in_puts, leaves, dies)
ATTACKS_ON_DIRECT = (reads_no_answers, comes_and_goes)

if __name__ == "__main__":
    run(SessionStrangers(int(sys.argv[1]), *sys.argv[2:]))
