"""Network namespaces of a run's own.

What is measured meets nobody else's traffic, and has one congestion control that no program can
change. Every route has it with `lock`: the kernel gives it to each connection, and refuses a
program that asks for another one (TCP_CONGESTION). The namespaces have no names. This process and
what it starts hold them, and they go with the last of these processes, however it ends.
"""

import ctypes
import os
import shutil
import socket
import subprocess
from dataclasses import dataclass

DEVICE = "lintel0"  # in each namespace: UCX refuses loopback alone
# of the device, where there are two namespaces; else the first, and both processes have it
ADDRESSES = ("10.77.0.1", "10.77.0.2")
LOOPBACK = "127.0.0.1"
AVAILABLE = "/proc/sys/net/ipv4/tcp_available_congestion_control"
NO_IPV6 = "/proc/sys/net/ipv6/conf/all/disable_ipv6"  # its connections would pass our routes by

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
MS_REC, MS_SLAVE = 0x4000, 0x80000
libc = ctypes.CDLL(None, use_errno=True)


class Refused(Exception):
    """The namespaces cannot be made. The text says why, and what was expected."""


@dataclass(frozen=True)
class Network:
    """Where the two processes of a measurement run."""

    hosts: int = 1
    congestion: str = ""
    second: str = ""  # path of the second process' namespace, where it has one of its own

    def addresses(self):
        """Of the two processes, on the device."""
        return (ADDRESSES[0], ADDRESSES[self.hosts - 1])

    def server(self):
        """Where the first process finds the second."""
        return LOOPBACK if self.hosts == 1 else ADDRESSES[1]

    def device(self):
        """For programs that can do without a device of their own."""
        return "lo" if self.hosts == 1 else DEVICE

    def text(self):
        where = ("TCP over loopback in a network namespace"
                 if self.hosts == 1 else "TCP between two network namespaces joined by veth")
        return f"{where}, congestion control {self.congestion} locked for all"


def call(function, *arguments):
    if function(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def enter_at(path):
    """For the start of a program: takes this thread, and what it starts, into the network
    namespace at `path`."""
    with open(path, "rb") as file:
        call(libc.setns, file.fileno(), CLONE_NEWNET)


def leave_all_others():
    """Takes this process into a network namespace of its own, and a mount namespace whose /sys
    shows the devices of the first. Without root it gets a user namespace before."""
    uid, gid = os.geteuid(), os.getegid()
    try:
        call(libc.unshare, CLONE_NEWNS | CLONE_NEWNET | (CLONE_NEWUSER if uid != 0 else 0))
    except OSError as error:
        needed = ("sudo bench/compare/run"
                  if uid != 0
                  else "the capability CAP_SYS_ADMIN, which root has outside of containers")
        raise Refused(f"no network namespace, unshare: {error.strerror}; expected root, or a "
                      f"kernel that lets every user have user namespaces: {needed}") from None
    if uid != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"),
                           ("gid_map", f"0 {gid} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    show_own_devices()


def show_own_devices():
    """UCX looks for devices in /sys/class/net, which shows those of the namespace that mounted
    it."""
    for folder in (b"/", b"/sys"):  # in a chroot / need not be a mount
        if libc.mount(None, folder, None, MS_REC | MS_SLAVE, None) == 0:
            break
    try:
        call(libc.mount, b"sysfs", b"/sys", b"sysfs", 0, None)
    except OSError as error:
        raise Refused("/sys cannot be mounted anew for the devices of the network namespace: "
                      f"{error.strerror}; expected a folder /sys, and no mounts over parts "
                      "of it that hide something") from None


def ip(*arguments):
    program = shutil.which("ip", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if program is None:
        raise Refused(
            "ip is not installed; expected it for the network namespaces (Debian package iproute2)")
    command = [program, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode != 0:
        raise Refused(f"ip {' '.join(arguments)}: {' '.join(done.stdout.split())}; expected a "
                      "kernel that can do this")


def available(path=AVAILABLE):
    with open(path, encoding="ascii") as file:
        return file.read().split()


def route(congestion, *words):
    ip("route", "replace", *words, "proto", "kernel", "congctl", "lock", congestion)


def require_known(congestion, offered):
    """Here the kernel may still load it: whether it did is in what it offers afterwards."""
    if congestion not in offered:
        raise Refused(f"--congestion: '{congestion}'; expected one that this kernel offers: "
                      f"{', '.join(sorted(offered))}")


def furnish(congestion, address, is_joined):
    """Loopback, an address on the device, and all routes with the congestion control."""
    if os.path.exists(NO_IPV6):
        with open(NO_IPV6, "w", encoding="ascii") as file:
            file.write("1")
    ip("link", "set", "lo", "up")
    try:
        route(congestion, "local", "127.0.0.0/8", "dev", "lo", "table", "local", "scope", "host",
              "src", LOOPBACK)
    except Refused:
        require_known(congestion, available())
        raise
    route(congestion, "local", LOOPBACK, "dev", "lo", "table", "local", "scope", "host", "src",
          LOOPBACK)
    ip("address", "add", f"{address}/24", "dev", DEVICE)
    ip("link", "set", DEVICE, "up")
    if not is_joined:
        ip("link", "set", f"{DEVICE}-peer", "up")
    route(congestion, "local", address, "dev", DEVICE, "table", "local", "scope", "host", "src",
          address)
    route(congestion, "10.77.0.0/24", "dev", DEVICE, "scope", "link", "src", address)


def congestion_of(sock):
    return sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).split(b"\0")[0].decode()


def both_ends_at(address, wish=b"reno"):
    """What the two ends of a connection to `address` have, though they ask for another one."""
    with socket.create_server(
        (address, 0)) as listening, socket.create_connection(listening.getsockname()) as caller:
        called, _ = listening.accept()
        with called:
            for end in (caller, called):
                try:
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, wish)
                except PermissionError:
                    pass
            return {congestion_of(caller), congestion_of(called)}


def verify(congestion, address):
    for where in (LOOPBACK, address):
        found = both_ends_at(where)
        if found != {congestion}:
            raise Refused(
                f"connections to {where} have the congestion control {', '.join(sorted(found))}; "
                f"expected the {congestion} of the route alone")


def make(hosts, congestion):
    """Takes this process into namespaces of its own, and returns what they are.

    REQUIRES: one thread.
    """
    leave_all_others()
    if hosts == 1:
        ip("link", "add", DEVICE, "type", "veth", "peer", "name", f"{DEVICE}-peer")
        furnish(congestion, ADDRESSES[0], is_joined=False)
        verify(congestion, ADDRESSES[0])
        return Network(hosts, congestion)
    first = os.open("/proc/self/ns/net", os.O_RDONLY)
    call(libc.unshare, CLONE_NEWNET)
    second = os.open("/proc/self/ns/net", os.O_RDONLY)  # stays open: it keeps the namespace
    path = f"/proc/{os.getpid()}/fd/{second}"
    # The same name in both, so it does not matter which namespace /sys shows.
    ip("link", "add", DEVICE, "type", "veth", "peer", "name", DEVICE, "netns",
       f"/proc/{os.getpid()}/fd/{first}")
    furnish(congestion, ADDRESSES[1], is_joined=True)
    call(libc.setns, first, CLONE_NEWNET)
    os.close(first)
    furnish(congestion, ADDRESSES[0], is_joined=True)
    verify(congestion, ADDRESSES[0])
    return Network(hosts, congestion, path)
