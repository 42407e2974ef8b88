"""Runs other programs, each confined to one processor, and ends them when they take too long."""

import json
import os
import signal
import socket
import subprocess
import time

LIMIT_SECONDS = 120
START_SECONDS = 10


class RunFailed(Exception):
    """A program ended badly, too late or with output that makes no sense. The text says which and how."""


def parse_json(text, program):
    try:
        return json.loads(text)
    except ValueError as error:
        raise RunFailed(f"{program}: its output is not JSON: {error}") from None


def confine_to(cpu):
    """To one processor, or to several."""
    return None if cpu is None else lambda: os.sched_setaffinity(0, {cpu} if isinstance(cpu, int) else set(cpu))


def start(command, cpu, environment):
    """The program gets a process group of its own, so that end() reaches what it has started."""
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                            start_new_session=True, preexec_fn=confine_to(cpu))


def end(process):
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
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
        raise RunFailed(f"{os.path.basename(command[0])}: exit code {process.returncode}: {last_line(errors or out)}")
    return out


def run(command, cpu=None, environment=None, limit=LIMIT_SECONDS):
    """The standard output of a program that ends by itself."""
    process = start(command, cpu, environment)
    try:
        return output_of(process, command, limit)
    finally:
        end(process)


def run_pair(server, client, port, cpus, environment=None):
    """The client's standard output. The server is started first, on cpus[1], and must end by itself after the client."""
    serving = start(server, cpus[1], environment)
    try:
        wait_until_listening(serving, server, port)
        out = run(client, cpus[0], environment)
        output_of(serving, server)
        return out
    finally:
        end(serving)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_listening(port):
    """Asks the kernel's table: a connection on trial would be taken for the client."""
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table, encoding="ascii") as file:
                rows = [line.split() for line in file][1:]
        except FileNotFoundError:
            continue
        if any(row[3] == "0A" and row[1].endswith(f":{port:04X}") for row in rows):
            return True
    return False


def wait_until_listening(process, command, port):
    give_up = time.monotonic() + START_SECONDS
    while not is_listening(port):
        if process.poll() is not None:
            output_of(process, command)
            raise RunFailed(f"{os.path.basename(command[0])}: ended before it listened on port {port}")
        if time.monotonic() > give_up:
            raise RunFailed(f"{os.path.basename(command[0])}: does not listen on port {port} after {START_SECONDS} s")
        time.sleep(0.01)
