#!/usr/bin/env python3
"""Strangers that attack processes on a network, with raw sockets.

  strangers.py SEED NETWORK [FROM]  obeys lines of standard input, until its end:
    targets NAME...         whom to attack: [ADDRESS:]PID, without an address on this machine
    claims NAME...          names of live processes under which to attack others
    report                  asks for a line: how often each attack was made

Many attacks are under way at a time, drawn at random with that seed. Each is a connection or
several, which end with a reset, so that no port stays in TIME_WAIT. The format that they break
is that of doc/wire_format.md, "The stream of `direct`". A caller must have the address that it
names, so names of nobody are those of 65,536 addresses of this machine: from FROM on, by default
those of the loopback network. On libfabric's networks they break the connection requests of its
TCP providers.

Does not: prove that it belongs to a job, or speak the session's version. Without a secret, who
uses a name first is its owner (doc/security.md), so `claims` should have only processes that are
connected already with those that they use.
"""

import asyncio
import ctypes
import random
import resource
import socket
import struct
import sys
import time

from names import LOOPBACK, Name, address_in, name_in

GREETING = struct.Struct("!IHBBIIIIQQ")
PIECE = struct.Struct("!IBBH")
WRITE = struct.Struct("!QQII")
PLACED = struct.Struct("!Q")
FRAME = struct.Struct("!HBBIIIII")
INTRODUCTION = struct.Struct("!IIQIIIB3x32s")
# Of libfabric's connection requests: version, type, length of the data, and what nobody checks.
REQUEST = struct.Struct("!BBHI24s")
REQUEST_VERSION, MOST_REQUEST = 3, 256
GREETING_MAGIC, STREAM_VERSION, CONNECT, ACCEPT = 0x4C4E5444, 2, 1, 2
MESSAGE, WRITTEN, WITH_PLACE = 1, 2, 3  # kinds of pieces
FRAME_MAGIC, HELLO = 0x4C54, 1
MOST_MESSAGE, MOST_WRITE, MOST_PLACED = 69632, 16 << 20, 1 << 20
AT_ONCE = 64  # attacks under way
LONGEST_HOLD = 2  # seconds for which a connection is kept
PAUSE = 0.02  # seconds at most between two attacks of one stranger
PLACED_AT_ONCE = 20  # more than a process keeps payloads for
CROWD = 150  # silent connections
FLOOD = 40         # connections, one after the other
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close() resets


class Strangers:
    """The attacks, and what they share."""
    at_once, pause = AT_ONCE, PAUSE
    longest = 2 * LONGEST_HOLD  # seconds, of one attack

    def __init__(self, seed, attacks, address=LOOPBACK):
        self.choice = random.Random(seed)
        self.nid = address_in(address)
        self.targets, self.claims = [], []
        self.attacks = attacks
        self.counts = {attack.__name__: 0 for attack in self.attacks}
        self.is_over = False
        self.accepted = 0  # greetings that were answered so

    def name_of_nobody(self):
        """Another host, which differs from run to run of one process."""
        return Name(self.nid + self.choice.randrange(1, 1 << 16),
                    self.choice.randrange(1024, 27000))

    def bytes(self, most):
        return self.choice.randbytes(self.choice.randrange(1, most + 1))

    def number(self, bits):
        return self.choice.getrandbits(bits)

    async def hold(self):
        await asyncio.sleep(self.choice.random() * LONGEST_HOLD)

    def greeting(self, caller, target, **wrong):
        fields = {"magic": GREETING_MAGIC, "version": STREAM_VERSION, "kind": CONNECT,
                  "reserved": 0, "from_nid": caller.nid, "from_pid": caller.pid,
                  "to_nid": target.nid, "to_pid": target.pid, "incarnation": self.number(64),
                  "generation": self.number(32)}
        fields.update(wrong)
        return GREETING.pack(*fields.values())

    async def greet(self, line, caller, target):
        """Whether the target accepts the connection under that name."""
        await line.send(self.greeting(caller, target))
        answer = await line.receive(GREETING.size)
        accepted = len(answer) == GREETING.size and answer[6] == ACCEPT
        self.accepted += accepted
        return accepted

    async def attack_for_ever(self):
        while not self.is_over:  # wait_for() may lose a cancellation
            await asyncio.sleep(self.choice.random() * self.pause)
            if not self.targets:
                continue
            attack, target = self.draw()
            made = False
            try:
                made = await asyncio.wait_for(attack(self, target), self.longest)
            except (OSError, asyncio.TimeoutError):
                pass  # the target has closed the connection, has ended, or does not read
            self.note(attack, target, made)

    def draw(self):
        """The next attack, and its target."""
        return self.choice.choice(self.attacks), self.choice.choice(self.targets)

    def note(self, attack, _target, _made):
        """An attack has ended. `_made` is what it has returned."""
        self.counts[attack.__name__] += 1

    def obey(self, order, words):
        if order == "targets":
            self.targets = [name_in(word) for word in words]
        elif order == "claims":
            self.claims = [name_in(word) for word in words]

    def figures(self):
        """What a report consists of."""
        figures = dict(self.counts)
        if own_name in self.attacks:
            figures["accepted"] = self.accepted
        return figures


class Line:
    """A connection to a process, from that address, or else any. Ends with a reset."""

    def __init__(self, target, nid=None, receive_buffer=None):
        self.target, self.nid, self.receive_buffer = target, nid, receive_buffer

    async def __aenter__(self):
        self.socket = socket.socket()
        try:
            self.socket.setblocking(False)
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            if self.receive_buffer is not None:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_buffer)
            if self.nid is not None:
                self.socket.bind((socket.inet_ntoa(struct.pack("!I", self.nid)), 0))
            await asyncio.get_running_loop().sock_connect(self.socket, self.target.socket_address)
        except BaseException:
            self.socket.close()
            raise
        return self

    async def __aexit__(self, *_):
        self.socket.close()

    async def send(self, data):
        await asyncio.get_running_loop().sock_sendall(self.socket, data)

    async def receive(self, length):
        """That many bytes, or those that came before the end."""
        got = b""
        while len(got) < length:
            part = await asyncio.get_running_loop().sock_recv(self.socket, length - len(got))
            if not part:
                break
            got += part
        return got


# ---- Attacks ----


async def silence(strangers, target):
    """Of a crowd: with others there may be more than a process lets wait."""

    async def one():
        async with Line(target):
            await strangers.hold()

    await asyncio.gather(*(one() for _ in range(strangers.choice.randrange(1, CROWD))),
                         return_exceptions=True)


async def half_a_greeting(strangers, target):
    caller = strangers.name_of_nobody()
    async with Line(target, caller.nid) as line:
        whole = strangers.greeting(caller, target)
        await line.send(whole[:strangers.choice.randrange(1, len(whole))])
        await strangers.hold()


async def wrong_greeting(strangers, target):
    caller = strangers.name_of_nobody()
    wrong = strangers.choice.choice((
        {"magic": strangers.number(32)}, {"version": strangers.choice.choice((0, 1, 3, 65535))},
        {"kind": strangers.choice.choice((0, 2, 3, 255))}, {"to_pid": target.pid + 1},
        {"to_nid": caller.nid}, {"from_nid": target.nid},
        {"from_nid": target.nid, "from_pid": target.pid}))
    async with Line(target, caller.nid) as line:
        await line.send(strangers.greeting(caller, target, **wrong))
        await line.receive(GREETING.size)


async def own_name(strangers, target):
    """Of the process that is attacked."""
    async with Line(target) as line:
        await strangers.greet(line, target, target)


async def name_of_another(strangers, target):
    """Of a live process."""
    others = [name for name in strangers.claims if name != target]
    if not others:
        return
    async with Line(target) as line:
        if await strangers.greet(line, strangers.choice.choice(others), target):
            await line.send(PIECE.pack(len(garbage := strangers.bytes(4096)), MESSAGE, 0, 0) +
                            garbage)
            await strangers.hold()


async def no_session(strangers, target):
    caller = strangers.name_of_nobody()
    async with Line(target, caller.nid) as line:
        if await strangers.greet(line, caller, target):
            await strangers.hold()


async def garbage_after_greeting(strangers, target):
    """Pieces of all kinds, whole frames with random fields, and bytes that are neither."""
    caller = strangers.name_of_nobody()
    async with Line(target, caller.nid) as line:
        if not await strangers.greet(line, caller, target):
            return
        for _ in range(strangers.choice.randrange(1, 30)):
            body = strangers.bytes(2000)
            kind = strangers.choice.randrange(4)
            if kind == 0:
                await line.send(body)
            elif kind == 1:
                await line.send(PIECE.pack(len(body), MESSAGE, 0, 0) + body)
            elif kind == 2:
                frame = FRAME.pack(FRAME_MAGIC, strangers.choice.randrange(256),
                                   strangers.choice.randrange(256), *(strangers.number(32)
                                                                      for _ in range(4)),
                                   len(body)) + body
                await line.send(PIECE.pack(len(frame), MESSAGE, 0, 0) + frame)
            else:
                await line.send(PIECE.pack(strangers.number(32), strangers.number(8),
                                           strangers.number(8), strangers.number(16)))


async def unfinished_message(strangers, target):
    caller = strangers.name_of_nobody()
    async with Line(target, caller.nid) as line:
        if await strangers.greet(line, caller, target):
            await line.send(PIECE.pack(MOST_MESSAGE, MESSAGE, 0, 0) +
                            strangers.bytes(MOST_MESSAGE - 1))
            await strangers.hold()


async def guessed_write(strangers, target):
    caller = strangers.name_of_nobody()
    async with Line(target, caller.nid) as line:
        if await strangers.greet(line, caller, target):
            key = strangers.number(strangers.choice.choice((4, 16, 64)))
            length = strangers.choice.choice((1, 8, 4096, MOST_WRITE))
            await line.send(
                PIECE.pack(length, WRITTEN, 0, 0) +
                WRITE.pack(key, strangers.number(strangers.choice.choice((4, 16, 64))),
                           strangers.number(strangers.choice.choice((4, 32))), 0) +
                b"\xee" * min(length, 4096))
            await line.receive(1)


async def unfinished_payloads(strangers, target):
    """More placed messages, begun and left, than a process has memory for."""

    async def one():
        caller = strangers.name_of_nobody()
        async with Line(target, caller.nid) as line:
            if await strangers.greet(line, caller, target):
                message = strangers.choice.randbytes(strangers.choice.randrange(129))
                await line.send(
                    PIECE.pack(MOST_PLACED, WITH_PLACE, len(message), 0) +
                    PLACED.pack(strangers.number(63)) + message + strangers.bytes(65536))
                await strangers.hold()

    await asyncio.gather(*(one() for _ in range(PLACED_AT_ONCE)), return_exceptions=True)


async def answers_not_read(strangers, target):
    """A version that nobody understands is refused, each time. The refusals are not read."""
    caller = strangers.name_of_nobody()
    async with Line(target, caller.nid, receive_buffer=1) as line:
        if not await strangers.greet(line, caller, target):
            return
        introduction = INTRODUCTION.pack(*caller, strangers.number(63) + 1, 1, 1, 0, 0,
                                         b"direct 1.0")
        frame = FRAME.pack(FRAME_MAGIC, 0, HELLO, 0, 0, 0, 0, len(introduction)) + introduction
        piece = PIECE.pack(len(frame), MESSAGE, 0, 0) + frame
        end = time.monotonic() + strangers.choice.random() * LONGEST_HOLD
        while time.monotonic() < end:
            await line.send(piece * 32)
            await asyncio.sleep(0.005)


async def flood(strangers, target):
    for _ in range(FLOOD):
        async with Line(target):
            pass


async def garbage(strangers, target):
    async with Line(target) as line:
        await line.send(strangers.choice.randbytes(REQUEST.size) + strangers.bytes(4096))
        await strangers.hold()


async def wrong_request(strangers, target):
    """A connection request with random fields. It does not lack its end: libfabric 1.17 may keep
    the descriptor of a connection that ends within its request."""
    async with Line(target) as line:
        length = strangers.choice.choice((0, 16, strangers.number(8), strangers.number(16)))
        request = REQUEST.pack(strangers.choice.choice((REQUEST_VERSION, strangers.number(8))),
                               strangers.choice.choice((0, 0, strangers.number(8))), length,
                               strangers.number(32), strangers.choice.randbytes(24))
        await line.send(request + strangers.choice.randbytes(length))
        await strangers.hold()


async def request_and_garbage(strangers, target):
    """A request that may be accepted, and what nobody sends on a connection."""
    async with Line(target) as line:
        data = strangers.bytes(MOST_REQUEST)
        await line.send(REQUEST.pack(REQUEST_VERSION, 0, len(data), 0, bytes(24)) + data)
        await line.receive(REQUEST.size)
        await line.send(strangers.bytes(65536))
        await strangers.hold()


ATTACKS = (silence, half_a_greeting, wrong_greeting, own_name, name_of_another, no_session,
           garbage_after_greeting, unfinished_message, guessed_write, unfinished_payloads,
           answers_not_read, flood)
ATTACKS_ON_LIBFABRIC = (silence, flood, garbage, wrong_request, request_and_garbage)
# This one ends processes on `net` with a segmentation fault within libfabric 2.1; 1.17 drops the
# connection. Lintel sees neither the connection nor its bytes (doc/security.md).
FATAL_ON_NET, FATAL_SINCE = request_and_garbage, (2, 0)


def libfabric_version():
    version = ctypes.CDLL("libfabric.so.1").fi_version()
    return version >> 16, version & 0xFFFF


def attacks_on(network):
    """Those that are made on a network, and those that libfabric does not survive there."""
    if network == "direct":
        return ATTACKS, ()
    is_fatal = network == "net" and libfabric_version() >= FATAL_SINCE
    fatal = (FATAL_ON_NET,) if is_fatal else ()
    return tuple(attack for attack in ATTACKS_ON_LIBFABRIC if attack not in fatal), fatal


async def obey(strangers):
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    attackers = [
        loop.create_task(strangers.attack_for_ever()) for _ in range(strangers.at_once)]
    while line := (await lines.readline()).decode().split():
        strangers.obey(line[0], line[1:])
        if line[0] == "report":
            print(" ".join(f"{name}={count}" for name, count in strangers.figures().items()),
                  flush=True)
        for attacker in attackers:
            if attacker.done():
                attacker.result()  # a mistake of this program
    strangers.is_over = True
    for attacker in attackers:
        attacker.cancel()
    await asyncio.gather(*attackers, return_exceptions=True)


def run(strangers):
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(obey(strangers))


if __name__ == "__main__":
    run(Strangers(int(sys.argv[1]), attacks_on(sys.argv[2])[0], *sys.argv[3:]))
