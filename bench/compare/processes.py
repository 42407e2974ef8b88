"""Runs other programs, each confined to one processor, and ends them when they take too long."""

import ctypes
import functools
import glob
import json
import os
import select
import signal
import socket
import subprocess
import time

import namespaces

LIMIT_SECONDS = 120
START_SECONDS = 10
PR_SET_PDEATHSIG = 1


class RunFailed(Exception):
    """A program ended badly, too late or with output that makes no sense. The text says which and
    how."""


def parse_json(text, program):
    try:
        return json.loads(text)
    except ValueError as error:
        raise RunFailed(f"{program}: its output is not JSON: {error}") from None


def beginning(cpu, namespace):
    """What a program does first: it ends with this process, and has its processor, or several, and
    its network namespace."""
    def begin():
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if cpu is not None:
            os.sched_setaffinity(0, {cpu} if isinstance(cpu, int) else set(cpu))
        if namespace:
            namespaces.enter_at(namespace)
    return begin


@functools.cache
def silent_terminal():
    """One that nobody types at."""
    _, terminal = os.openpty()
    return terminal


def start(command, cpu, environment, namespace="", at_terminal=False):
    """The program gets a session of its own, so that end() reaches what it has started."""
    return subprocess.Popen(
        command, stdin=silent_terminal() if at_terminal else subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        start_new_session=True, preexec_fn=beginning(cpu, namespace))


def session_members(leader):
    """Processes of the session of `leader`. Launchers give their ranks process groups, and leave
    them behind when they are killed; the session is the same."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                state, _, _, session, *_ = file.read().rpartition(")")[2].split()
        except OSError:
            continue  # has ended
        if int(session) == leader and state != "Z":
            yield int(path.split("/")[2])


def end(process):
    if process.poll() is None:  # not waited for: its number is nobody else's
        while members := list(session_members(process.pid)):
            for member in members:
                try:
                    os.kill(member, signal.SIGKILL)
                except ProcessLookupError:
                    pass
    process.communicate()


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"


def output_of(process, command, limit=LIMIT_SECONDS):
    try:
        out, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise RunFailed(f"{os.path.basename(command[0])}: not done after {limit} s") from None
    if process.returncode != 0:
        raise RunFailed(f"{os.path.basename(command[0])}: exit code {process.returncode}: "
                        f"{last_line(errors or out)}")
    return out


def run(command, cpu=None, environment=None, limit=LIMIT_SECONDS, at_terminal=False):
    """The standard output of a program that ends by itself."""
    process = start(command, cpu, environment, at_terminal=at_terminal)
    try:
        return output_of(process, command, limit)
    finally:
        end(process)


def run_pair(server, client, is_ready, cpus, environment=None, namespace="", at_terminal=False):
    """The client's standard output.

    The server is started first, on cpus[1]. The client is started once `is_ready(server's
    process)`. The server must end by itself after the client.
    """
    serving = start(server, cpus[1], environment, namespace, at_terminal)
    try:
        wait_until_ready(serving, server, is_ready)
        out = run(client, cpus[0], environment, at_terminal=at_terminal)
        output_of(serving, server)
        return out
    finally:
        end(serving)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens_on(port):
    """For run_pair(). Asks the kernel's table: the server would take a connection on trial for the
    client."""
    return lambda serving: is_listening(port, serving.pid)


def has_spoken(serving):
    """For run_pair(), of a server that says a line when it is ready."""
    return bool(select.select([serving.stdout], [], [], 0)[0])


def is_listening(port, pid):
    """In the network namespace of this process."""
    for table in (f"/proc/{pid}/net/tcp", f"/proc/{pid}/net/tcp6"):
        try:
            with open(table, encoding="ascii") as file:
                rows = [line.split() for line in file][1:]
        except FileNotFoundError:
            continue
        if any(row[3] == "0A" and row[1].endswith(f":{port:04X}") for row in rows):
            return True
    return False


def wait_until_ready(process, command, is_ready):
    give_up = time.monotonic() + START_SECONDS
    while not is_ready(process):
        if process.poll() is not None:
            output_of(process, command)
            raise RunFailed(f"{os.path.basename(command[0])}: ended before a client could call it")
        if time.monotonic() > give_up:
            raise RunFailed(
                f"{os.path.basename(command[0])}: not ready for a client after {START_SECONDS} s")
        time.sleep(0.01)
