"""Names of processes, and where these listen (doc/addressing.md)."""

import socket
import struct
import typing

PORT_BASE, WELL_KNOWN = 27000, 1024
LOOPBACK = "127.0.0.1"


class Name(typing.NamedTuple):
    nid: int
    pid: int

    @property
    def socket_address(self):
        port = PORT_BASE + self.pid if self.pid < WELL_KNOWN else self.pid
        return socket.inet_ntoa(struct.pack("!I", self.nid)), port


def address_in(word):
    """The node id of an IPv4 address."""
    return struct.unpack("!I", socket.inet_aton(word))[0]


def name_in(word):
    """Of [ADDRESS:]PID."""
    address, _, pid = word.rpartition(":")
    return Name(address_in(address or LOOPBACK), int(pid))
