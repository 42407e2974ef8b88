#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets. Usage: python3 tests/fuzz/make_corpus.py

engine_receive_fuzz, engine_receive4_fuzz: command lists as EngineFuzz::step reads them, one seed
for each way of a message.
direct_stream_fuzz: pieces of a direct connection, and portions in which they come.
resumed_streams_fuzz: what two ends of a connection send, and where it is cut.
direct_transport_fuzz: strangers that connect to a transport, and calls of its owner.
message_parser_fuzz: one sound message of each kind, as doc/wire_format.md lays them out.
pmi1_fuzz: lines of a rank and of a launcher; business_card_fuzz: cards of a job.
impi_host_fuzz: packets of another host;
impi_server_fuzz: clients of an IMPI job; impi_client_fuzz: what its server says, changed.
"""
import pathlib
import struct

ROOT = pathlib.Path(__file__).parent / "corpus"


def write(target, name, data):
    folder = ROOT / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(bytes(data))


def header(kind, flags, payload, interface=0):
    return struct.pack(">BBBBI", 1, kind, flags, interface, len(payload))


def request(kind, flags=0, length=0, payload=b"", handle=0xFFFFFFFF, interface=0):
    body = struct.pack(">8I", 2, 1, 1000, 7, 1, 1, 4, 0) + struct.pack(">QQQQ", 1, 0, length, 9)
    if kind != 1 or flags:
        body += struct.pack(">IIQ", handle, 1, 5)
    if kind != 1:
        body += struct.pack(">Q", 0)
    if kind in (6, 7, 8):
        body += struct.pack(">BB6x", 2 if kind < 8 else 11, 8)
    if kind == 8:
        body += bytes(32)
    return header(kind, flags, payload, interface) + body + payload


def response(kind, flags=0, length=0, payload=b""):
    body = struct.pack(">8I", 2, 1, 1000, 7, 1, 1, 4, 0) + struct.pack(
        ">QQQQIIQQQ", 1, 0, length, length, 1, 1, 0, 5, 6 if flags else 0)
    return header(kind, flags, payload) + body + payload


def clear(segments, interface=0):
    payload = b"".join(struct.pack(">QQQ", 8, 4096 * i, n) for i, n in enumerate(segments))
    return header(16, 0, payload, interface) + struct.pack(
        ">QQQII", 5, 6, sum(segments), 7, len(segments)) + payload


MESSAGES = {
    "put": request(1, 0, 8, b"01234567"),
    "put_ack": request(1, 5, 8, b"01234567", 3),
    "put_announced": request(1, 7, 100000, b"", 3),
    "ack": response(2, 0, 8),
    "get": request(3, 4, 8, b"", 3),
    "get_cleared": request(3, 20, 3000, clear([3000], 3), 3, 3),
    "get_cleared_pieces": request(3, 20, 3005, clear([1000, 2000, 5], 1), 3, 1),
    "reply": response(4, 0, 8, b"01234567"),
    "reply_announced": response(4, 2, 100000),
    "getput": request(5, 4, 8, b"01234567", 3),
    "atomic": request(6, 5, 8, b"01234567", 3),
    "fetch_atomic": request(7, 4, 8, b"01234567", 3),
    "swap": request(8, 4, 8, b"01234567", 3),
    "clear": clear([3000]),
    "clear_pieces": clear([1000, 2000, 5]),
    "written": header(17, 0, b"") + struct.pack(">QQ", 6, 3),
    "discard": header(18, 0, b"") + struct.pack(">Q", 5),
}
for name, message in MESSAGES.items():
    write("message_parser_fuzz", name, message)
    write("engine_receive_fuzz", "raw_" + name, bytes([0, 0, len(message)]) + message)

# Commands: 1 put, 2 get, 3 getput (shape in the high nibble: 1 announced, 2 ack), 4 ack, 5 reply,
# 6 clear, 7 written, 8 discard, 9 immediate, 10 a write ends, 11 a peer fails, 12 a call of the
# program, 13 room, 14 poll, 15 an echo.
# A request's bytes: peer, match bits, offset, length, handle (unless none), generation, return
# offset (not put), token.
PUT = [0x01, 0, 1, 0, 2, 1, 0]
PUT_ACK = [0x21, 0, 1, 0, 2, 3, 1, 0]
PUT_LARGE = [0x31, 0, 1, 0, 8, 3, 1, 0]
PUT_PIECES = [0x31, 0, 3, 0, 8, 3, 1, 0]
GET = [0x02, 0, 1, 0, 2, 3, 1, 0, 0]
GET_LARGE = [0x02, 0, 1, 0, 8, 3, 1, 0, 0]
SWAP = [0x03, 0, 1, 0, 2, 3, 1, 0, 0]
IMMEDIATE = [0x09, 0]
WRITE_DONE = [0x0A, 0]
ROOM_NONE, ROOM = [0x0D], [0x1D]
CALL_PUT_LARGE, CALL_GET_LARGE, CALL_SWAP, CALL_PUT = [0x0C, 14], [0x0C, 9], [0x0C, 24], [0x0C, 0]
CLEAR = [0x06, 0, 0, 0, 1] + [0] * 8 + [0, 8, 0, 5]
WRITTEN = [0x07, 0, 0, 0, 2]
SEQUENCES = {
    "puts": PUT + PUT_ACK + PUT,
    "put_large_lands": PUT_LARGE + IMMEDIATE,
    "put_in_pieces_lands": PUT_PIECES + WRITTEN + IMMEDIATE * 2,
    "gets": GET + GET_LARGE + CLEAR + WRITE_DONE * 2,
    "swap": SWAP,
    "call_put_acked": CALL_PUT + [0x04, 0, 0, 0],
    "call_put_large": CALL_PUT_LARGE + CLEAR + WRITE_DONE * 2 + [0x04, 0, 0, 0],
    "call_get_replied": CALL_GET_LARGE + [0x05, 0, 0, 0],
    "call_get_announced": CALL_GET_LARGE + [0x05, 0, 0, 32, 9] + IMMEDIATE,
    "call_swap_replied": CALL_SWAP + [0x05, 0, 0, 0],
    "no_room": ROOM_NONE + CALL_PUT + GET + PUT_ACK + ROOM + [14],
    "peer_fails": CALL_PUT_LARGE + PUT_LARGE + [0x0B, 0] + IMMEDIATE,
    "discards": CALL_GET_LARGE + [0x08, 0, 0, 0] + PUT_LARGE + [0x08, 0, 0, 0],
    "echo": CALL_PUT + CALL_GET_LARGE + [0x0F, 0, 0] + [0x0F, 1, 2, 40, 1, 60, 2],
}
for name, commands in SEQUENCES.items():
    write("engine_receive_fuzz", name, commands)

# The same for Portals 4. A request has an aim after the peer. An even aim is at the matching
# interface. Half of the aim is the portal: 0 has entries, 1 flow control, 2 is disabled, 3 has few
# headers, 4 is strict. The first byte of command 3 says which it is: 0 atomic, 1 fetch-atomic,
# 2 swap; these end with operation, datatype, elements.
# Bits 1 meet an entry of the priority list, bits 6 one of the overflow list.
def put4(bits=1, aim=0, length=2, ack=False):
    return [0x21 if ack else 0x01, 0, aim, bits, 0, length] + ([3] if ack else []) + [1, 0]


def large4(bits=1, aim=0):
    return [0x31, 0, aim, bits, 0, 8, 3, 1, 0]


def get4(bits=1, aim=0, length=2):
    return [0x02, 0, aim, bits, 0, length, 3, 1, 0, 0]


# With the CLEAR for its reply: segments but one, receiver token.
def cleared_get4(bits=1, aim=0, length=8, segments=0):
    return [0x12, 0, aim, bits, 0, length, 3, 1, 0, 0, segments, 2]


def atomic4(bits=1, aim=0):
    return [0x03, 0, 0, aim, bits, 0, 2, 1, 0, 2, 8, 0]


def fetch4(bits=1, aim=0):
    return [0x03, 1, 0, aim, bits, 0, 2, 3, 1, 0, 0, 2, 8, 0]


def swap4(bits=1, aim=0):
    return [0x03, 2, 0, aim, bits, 0, 2, 3, 1, 0, 0, 11, 8, 0]


# Calls: interface, what, and for an operation: which and its MD, ack and length, when (4: now; else
# a counter and a threshold of eighths).
CALL4 = {"put": [0x0C, 0, 0, 10, 1, 4], "put_large": [0x0C, 0, 0, 10, 3, 4],
         "get": [0x0C, 0, 0, 11, 1, 4], "get_large": [0x0C, 0, 0, 11, 3, 4],
         "atomic": [0x0C, 0, 0, 12, 2, 134], "fetch": [0x0C, 0, 0, 8, 1, 134],
         "swap": [0x0C, 0, 0, 9, 1, 143]}
TRIGGERED4 = [[0x0C, 0, 0, which, 1, 8 * 3] for which in (10, 11, 12, 8, 9)]
COUNT4, CHAIN4 = [0x0C, 0, 9], [0x0C, 0, 10, 1]
APPEND4, APPEND_ONCE4 = [0x0C, 0, 4, 0], [0x0C, 0, 4, 5]
SEARCH4, SEARCH_DELETE4 = [0x0C, 0, 6], [0x0C, 0, 90]
UNLINK4, ENABLE4, ENABLE_FLOW4 = [0x0C, 0, 7, 4], [0x0C, 0, 32], [0x0C, 0, 20]
SEQUENCES4 = {
    "puts": put4() + put4(ack=True) + put4(aim=1) + put4(bits=2) + put4(bits=3) + put4(bits=4) +
            put4(bits=5),
    "put_large_lands": large4() + IMMEDIATE,
    "gets": get4() + get4(length=8) + CLEAR + WRITE_DONE * 2,
    "get_cleared": cleared_get4() + WRITE_DONE + cleared_get4(3, length=5, segments=2) +
                   WRITE_DONE * 3,
    "get_cleared_otherwise": cleared_get4(2) + CLEAR + WRITE_DONE + cleared_get4(6) +
                             cleared_get4(5, length=5) * 2 + cleared_get4(1, 4),
    "call_get_written": CALL4["get_large"] + IMMEDIATE,
    "call_get_written_in_pieces": CALL4["get_large"] + [0x07, 1, 0, 0, 2] + [0x89, 0] * 2,
    "call_get_given_up": CALL4["get_large"] + [0x08, 1, 0, 0],
    "atomics": atomic4() + fetch4() + swap4() + atomic4(bits=6) + fetch4(bits=6),
    "unexpected": put4(6) + get4(6) + atomic4(6) + SEARCH4 + APPEND_ONCE4 + SEARCH_DELETE4,
    "unexpected_lands_claimed": large4(6) + APPEND_ONCE4 + IMMEDIATE,
    "unexpected_lands_late": large4(6) + IMMEDIATE + SEARCH_DELETE4,
    "few_headers": put4(6, 6) * 8,
    "disabled": put4(1, 4, ack=True) + ENABLE4 + put4(1, 4),
    "flow_control": put4(6, 2, ack=True) * 4 + ENABLE_FLOW4 + put4(6, 2),
    "strict": put4(1, 8) + get4(1, 8) + [0x81, 0, 5, 8, 4, 0, 1, 0, 2, 1, 0],
    "call_put_acked": CALL4["put"] + [0x04, 0, 0, 0],
    "call_put_refused": CALL4["put"] + [0x04, 0, 0, 128, 4],
    "call_put_large": CALL4["put_large"] + CLEAR + WRITE_DONE * 2 + [0x04, 0, 0, 0],
    "call_get_replied": CALL4["get"] + [0x05, 0, 0, 0],
    "call_get_announced": CALL4["get_large"] + [0x05, 0, 0, 32, 9] + IMMEDIATE,
    "call_atomics": CALL4["atomic"] + [0x04, 0, 0, 0] + CALL4["fetch"] + [0x05, 0, 0, 0] +
                    CALL4["swap"] + [0x05, 0, 0, 64],
    "triggered": sum(TRIGGERED4, []) + CHAIN4 + COUNT4 * 3 + put4() * 4,
    "unlinks": put4(6) + UNLINK4 + APPEND4 + put4(4) + UNLINK4,
    "peer_fails": CALL4["put_large"] + CALL4["get"] + large4(6) + APPEND_ONCE4 + [0x0B, 0] +
                  IMMEDIATE,
}
for name, commands in SEQUENCES4.items():
    write("engine_receive4_fuzz", name, commands)

# session_frame_fuzz: who has the secret (1 the session, 2 the peer); then commands: 3 a hello, 4 a
# welcome, 10 a confirmation, 2 a frame of a kind, 5 a send, 6 a poll.
CONTACT = [3, 6, 1, 10, 6, 1]
SESSION = {"hello": [0, 3, 6, 1], "both_hello": [0, 5, 8, 6, 1, 3, 6, 1, 4, 6, 1],
           "contact": [0] + CONTACT + [5, 8, 6, 1], "contact_by_secret": [3] + CONTACT * 2,
           "other_secret": [1] + CONTACT, "called": [3, 5, 8, 6, 1, 4, 6, 1, 5, 8, 6, 1],
           "rival": [0] + CONTACT * 2, "secret_comes": [2, 9, 0x70] + CONTACT,
           "data": [0] + CONTACT + [2, 4, 0, 0, 16] + [0] * 16 + [6, 1, 2, 4, 0, 0, 16] + [0] * 16 +
                   [6, 1]}
for name, commands in SESSION.items():
    write("session_frame_fuzz", name, commands)

# pmi1_fuzz: how many bytes come at once, less 1; then lines.
GREETING = ("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"
            "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\ncmd=my_kvsname kvsname=job\n")
PMI1 = {
    "rank":
        "cmd=get_maxes\ncmd=get_appnum\ncmd=get_universe_size\ncmd=get_my_kvsname\n"
        "cmd=put kvsname=job key=k value=6c69\ncmd=get kvsname=job key=k\n"
        "cmd=barrier_in\ncmd=barrier_in\ncmd=barrier_in\ncmd=finalize\n",
    "abort": "cmd=abort exitcode=7 message=out of memory\n",
    "spawn": "mcmd=spawn\nnprocs=1\nendcmd\n",
    "launcher": GREETING + "cmd=put_result rc=0 msg=success\ncmd=barrier_out\n" +
                "cmd=get_result rc=0 msg=success value=6c69\n" * 3 +
                "cmd=barrier_out\ncmd=finalize_ack\n",
    "refusal": GREETING + "cmd=put_result rc=-1 msg=key is there value=unknown\n",
}
for name, lines in PMI1.items():
    write("pmi1_fuzz", name, b"\x3f" + lines.encode())


def card(rank, provider="net", version="0.1.0", nid="127.0.0.1", node="host/5f0c"):
    return (f"lintel={version} wire=1 provider={provider} id={nid}:{30000 + rank} node={node} "
            f"secret={rank:032x}")


CARDS = {
    "world": [card(0), card(1), card(2)],
    "nodes": [card(0, nid="10.0.0.1"), card(1, nid="10.0.0.2", node="b%20c/")],
    "loopback": [card(0), card(1, node="other/1")],
    "provider": [card(0), card(1, provider="tcp;ofi_rxm")],
    "version": [card(0), card(1, version="0.2.0")],
    "same": [card(1), card(1)],
    "zero_byte": [card(0, nid="127.0.0.1\0junk")],
}
for name, lines in CARDS.items():
    write("business_card_fuzz", name, "\n".join(lines).encode())

# impi_server_fuzz: how many clients (and 128: with the key 7), then steps: 0 a connection, 1 the
# end of one, 2 time, 3 and above bytes of one. The upper five bits of a step say which connection:
# so many before the last.
OPEN = bytes([0])


def says(which, data):
    return b"".join(bytes([which << 3 | 3, len(data[i:i + 255])]) + data[i:i + 255]
                    for i in range(0, len(data), 255))


def impi(word, payload=b""):
    return word + struct.pack(">I", len(payload)) + payload


def joins(which, rank, key=None):
    hello = (impi(b"AUTH", struct.pack(">I", 1 if key is None else 2))
             + (b"" if key is None else struct.pack(">Q", key)))
    return OPEN + says(which, hello + impi(b"IMPI", struct.pack(">i", rank)))


def labels(of):
    return b"".join(impi(b"COLL", struct.pack(">iI", label, 1)) for label in of)


ALL_LABELS = [0x1000, 0x1100, 0x1200, 0x1300, 0x1400, 0x1500, 0x1600, 0x2000, 0x2100, 0x2200,
              0x2300, 0x2400, 0x3000, 0x3100]
IMPI_DONE, IMPI_FINI = impi(b"DONE"), impi(b"FINI")
TWO = bytes([1]) + joins(0, 0) + joins(0, 1)
IMPI = {
    "job": TWO + b"".join(says(which, labels(ALL_LABELS) + IMPI_DONE)
                          for which in (0, 1)) + says(0, IMPI_FINI) + says(1, IMPI_FINI),
    "key": bytes([0x80]) + joins(0, 0, 7) + says(0, labels(ALL_LABELS[:2]) + IMPI_DONE + IMPI_FINI),
    "wrong_key": bytes([0x80]) + joins(0, 0, 8),
    "skipped": TWO + says(0, labels(ALL_LABELS[1:3])) +
               says(1, labels(ALL_LABELS[2:4]) + IMPI_DONE),
    "out_of_order": TWO + says(0, labels([0x1200, 0x1100])),
    "rank_taken": bytes([1]) + joins(0, 0) + joins(0, 0) + joins(0, 5),
    "leaves": bytes([1]) + joins(0, 0) + bytes([1]) + joins(0, 0) + joins(0, 1) + bytes([1]),
    "late": TWO + says(0, labels([0x1000])) + bytes([2, 200]),
    "lost": TWO + says(0, IMPI_DONE) + says(1, IMPI_DONE) + bytes([1]) +
            says(1, b"INIF" + bytes(4)),
}
for name, steps in IMPI.items():
    write("impi_server_fuzz", name, steps)

# impi_client_fuzz: clients, rank, then one or two bytes for each thing that the server says. For
# labels first whether the set is as it should be (0), replaced (1), one byte of it (2), or its mask
# (3). Then whether it comes as it is (0), after other bytes (1), or other bytes come in its place
# (2). At the end a host, and greetings.
AS_IS, LABELS_AS_THEY_ARE = bytes([0]), bytes(2) * len(ALL_LABELS)
GREETINGS = struct.pack(">Q", 0) + struct.pack(">II", 1, 5)
IMPI_ANSWERS = {
    "job": bytes([1, 0]) + AS_IS * 2 + LABELS_AS_THEY_ARE + AS_IS + GREETINGS,
    "versions": bytes([1, 0]) + AS_IS * 2 + bytes([1, 24]) + struct.pack(">6I", 0, 0, 0, 1, 0, 0) +
                bytes(1) + LABELS_AS_THEY_ARE[2:] + AS_IS + GREETINGS,
    "hiwater": bytes([1, 1]) + AS_IS * 2 + bytes(22) + bytes([1, 8]) + struct.pack(">2I", 10, 9) +
               bytes(1) + LABELS_AS_THEY_ARE[24:] + AS_IS,
    "partial": bytes([1, 0]) + AS_IS * 2 + bytes([3]) + struct.pack(">Q", 2) + bytes(1) +
               LABELS_AS_THEY_ARE[2:] + AS_IS,
    "unknown_label": bytes([1, 0]) + AS_IS * 2 + bytes([0, 1, 16]) +
                     impi(b"COLL", struct.pack(">iI", 0x500, 1)) + LABELS_AS_THEY_ARE[2:] + AS_IS +
                     GREETINGS,
    "key": bytes([1, 0, 2, 8]) + struct.pack(">II", 1, 0) + AS_IS + LABELS_AS_THEY_ARE + AS_IS +
           GREETINGS,
}
for name, steps in IMPI_ANSWERS.items():
    write("impi_client_fuzz", name, steps)


# impi_host_fuzz: 0 a packet (data, kind, source, destination, source's and destination's request,
# by how much the message is longer), 1 bare bytes, 2 a send (source, destination, tens of bytes,
# 0: synchronous), 3 a cancel, 4 an acceptance, 5 bytes that leave.
def host_packet(kind, data=b"", requests=(1, 0), more=0):
    return bytes([0, len(data)]) + data + bytes([kind, 0, 0, *requests, more])


HOST_SEND, HOST_LONG = bytes([2, 0, 0, 3, 0]), bytes([2, 0, 0, 20, 1])
HOST_CANCEL, HOST_ACCEPT, HOST_LEAVES = bytes([3]), bytes([4]), bytes([5, 255])
for name, steps in {
        "short": host_packet(0, b"01234567") + HOST_ACCEPT,
        "synchronous": HOST_SEND + HOST_LEAVES + host_packet(3),
        "long_in": host_packet(1, b"01234567", more=4) + HOST_ACCEPT +
                   host_packet(0, b"89ab", (1, 1), 8) + HOST_LEAVES,
        "long_out": HOST_LONG + HOST_LEAVES + host_packet(3, requests=(1, 7)) + HOST_LEAVES * 4,
        "cancelled": HOST_LONG + HOST_CANCEL + HOST_LEAVES + host_packet(5),
        "withdrawn": host_packet(1, b"01234567") + host_packet(4) + HOST_LEAVES,
        "flow": HOST_LONG * 7 + HOST_LEAVES * 6 + host_packet(2) + host_packet(7),
}.items():
    write("impi_host_fuzz", name, steps)


# direct_stream_fuzz: 0 bare bytes, 1 a message (half its bytes), 2 a write (address, sixteenths
# less 1), 3 a placed message (bytes of its message, eighths of the payload less 1), 4 memory for
# placed messages (eighths), 5 the write is cut, 6 the stream goes on, 7 what comes (bytes, portion,
# bytes read ahead, each less 1), 8 an acknowledgement (in parts of 2^32 / 510), 9 a message
# with flags (bytes, flags), 10 the TCP connection is lost with what is on its way, 11 likewise, but
# that comes on the next.
COMES = bytes([7, 255, 255, 255])
for name, steps in {
    "messages": bytes([1, 10, 1, 0, 1, 255]) + COMES * 4,
    "bytewise": bytes([1, 10, 2, 3, 1, 3, 4, 2]) + bytes([7, 40, 0, 0]) * 4,
    "write": bytes([2, 8, 15, 1, 1]) + COMES * 2,
    "cut": bytes([2, 8, 15, 7, 60, 60, 60, 5, 1, 4]) + COMES * 2,
    "placed": bytes([4, 200, 3, 128, 200, 1, 4]) + COMES * 9,
    "held": bytes([1, 3, 3, 16, 4, 1, 5]) + COMES + bytes([6, 4, 2, 6]) + COMES,
    "acknowledged": bytes([8, 1, 9, 5, 3, 8, 2, 4, 9, 3, 16, 1]) + COMES * 2,
    "acknowledged_too_much": bytes([8, 255]) + COMES,
    "lost": bytes([2, 8, 15, 7, 60, 60, 60, 10, 0, 4, 1, 1, 1, 1]) + COMES + bytes([11]) + COMES,
    "nonsense": bytes([1, 3, 0, 8, 0, 0, 0, 1, 9, 0, 0, 0]) + COMES,
}.items():
    write("direct_stream_fuzz", name, steps)

# resumed_streams_fuzz: one end: 0 a message (sevenths), 1 a write (40ths less 1), 2 a placed one
# (bytes of its message, 40ths of the payload less 1), 3 and 4 pass bytes on (less 1; 256 each
# less 1), 5 what is on its way arrives (16ths of a portion less 1), 6 placed messages find no place
# so often, 7 a cut (parts that still arrive, each way, their portions). Plus 8: the other end.
ONE_OF_EACH = bytes([0, 3, 1, 2, 2, 9, 2, 0, 0])
for name, steps in {
    "nothing_lost": ONE_OF_EACH + bytes([4, 9] * 4 + [5, 255]),
    "cuts": ONE_OF_EACH + bytes([3, 40, 7, 99, 0, 1, 1] * 9),
    "both": ONE_OF_EACH + bytes(b + 8 * (i in (0, 2, 4, 7)) for i, b in enumerate(ONE_OF_EACH))
    + bytes([4, 2, 12, 2, 5, 9, 13, 9, 7, 255, 128, 9, 9] * 4),
    "stalled": bytes([6, 2, 2, 5, 9, 4, 9, 5, 3, 7, 255, 0, 9, 9, 4, 9, 5, 9]),
    "long_write": bytes([1, 255, 4, 90, 5, 60, 4, 9, 7, 100, 0, 60, 0, 4, 200, 5, 200]),
}.items():
    write("resumed_streams_fuzz", name, steps)

# direct_transport_fuzz: each command is followed by a stranger: 0 connects (from 128 on: accepts a
# connection of the transport to the peer of the upper four bits), 1 greets (name and incarnation,
# from 180 on also the kind; generation and what has arrived), 3 a message (half its bytes), 4 a
# write (key, address, sixteenths less 1), 5 a placed message (bytes of its message, eighths of the
# payload less 1), 6 sends (32 bytes each), 8 reads; 131 an acknowledgement (fours); of the owner: 9
# a message, 10 a placed message, 11 a write, 12 registers memory, 13 expects, 14 disconnects,
# admits, interrupts or forgets, 15 polls (tens of milliseconds).
GREETED = bytes([0, 0, 1, 0, 3, 1, 6, 0, 2])
ALL = bytes([6, 0, 255, 15, 0, 0])
ADMITTED = GREETED + bytes([14, 0, 1])


# What stranger 1 greets with under the name of stranger 0, of whom so much has arrived.
def resumes(kind, received=0):
    return bytes([1, 1, 183 + 6 * kind, received, 6, 1, 255, 15, 0, 0, 8, 1])


# The connection of stranger 0 is lost; the transport asks, and stranger 1 hears it.
LOST = bytes([14, 0, 2, 15, 0, 0, 15, 0, 0, 144, 1, 15, 0, 0, 8, 1])
ASKED = ADMITTED + bytes([9, 0, 40, 10, 0, 11, 0]) + LOST

for name, steps in {
    "messages": GREETED + bytes([3, 0, 20]) + ALL + bytes([9, 0, 40, 8, 0, 14, 0, 1]),
    "same_name": GREETED + bytes([0, 1, 1, 1, 0, 9, 6, 1, 2, 1, 1, 3, 9, 6, 1, 2]) + ALL,
    "write": GREETED + bytes([12, 0, 0, 4, 0, 0, 1, 30]) + ALL + bytes([12, 0, 1]),
    "cut_write": GREETED + bytes([12, 0, 0, 4, 0, 0, 1, 255, 6, 0, 4, 12, 0, 1]) + ALL,
    "placed": GREETED + bytes([13, 0, 5, 5, 0, 20, 200]) + ALL + bytes([5, 0, 20, 20]) + ALL,
    "deaf": GREETED + bytes([10, 0] * 6 + [11, 0] * 6 + [15, 0, 30] * 6),
    "silent": bytes([0, 0, 0, 1, 15, 0, 120]) + GREETED + bytes([15, 0, 120]),
    "replaced": ADMITTED + bytes([9, 0, 40, 3, 0, 20, 0, 1]) + resumes(4) + resumes(6)
    + bytes([3, 1, 20, 131, 1, 12, 6, 1, 255]) + ALL,
    "resumed": ASKED + resumes(5) + resumes(7, 20) + bytes([131, 1, 40, 6, 1, 255]) + ALL,
    "resumed_too_much": ADMITTED + LOST + resumes(5) + resumes(7, 255) + ALL,
    "no_stream": ASKED + resumes(8) + ALL,
    "unanswered": ASKED + resumes(4) + bytes([0, 2, 15, 0, 101, 144, 2, 15, 0, 255, 15, 0, 255]),
    "not_admitted": GREETED + bytes([14, 0, 9, 7, 0, 15, 0, 0, 0, 1]) + resumes(4) + resumes(6)
    + bytes([3, 1, 20, 6, 1, 255]) + ALL + bytes([15, 0, 120]),
    "unproved": ADMITTED + bytes([0, 1]) + resumes(4) + resumes(7) + bytes([0, 1]) + resumes(6),
    "end": GREETED + bytes([9, 0, 9, 14, 0, 0, 14, 0, 3, 15, 0, 0]),
}.items():
    write("direct_transport_fuzz", name, steps)
