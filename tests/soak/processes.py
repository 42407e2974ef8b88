"""The processes that a soak starts.

How they are started, killed and waited for, and that nothing is left of them.
"""

import ctypes
import os
import select
import signal
import subprocess
import tempfile
import time

TIMEOUT = 120  # seconds: what has not ended by then hangs
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None, use_errno=True)


class Failed(Exception):
    """Something went wrong. The text says what, and what was expected."""


def adopt_orphans():
    """What a process leaves behind becomes a child of this one, and is found by `children`."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def program_of(pid):
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return ""


def wait_until(condition, limit):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Process:
    """One process with its own session.

    What it writes to standard error is kept. Its standard output is read line by line, or at its
    end.
    """

    def __init__(self, network, *command, settings=None):
        self.settings = settings or {}
        self.command = [str(word) for word in command]
        self.network = network
        self.errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        environment = {name: value
                       for name, value in os.environ.items()
                       if not name.startswith("LINTEL_")}
        environment.update(LINTEL_PROVIDER=network, LINTEL_DUMP_SIGNAL="USR1",
                           **self.settings)
        self.process = subprocess.Popen(
            self.command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.errors, text=True, start_new_session=True,
            preexec_fn=lambda: _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
        self.pid = self.process.pid
        self.unread = ""

    def __str__(self):
        settings = "".join(f"{name}='{value}' " for name, value in self.settings.items())
        return f"LINTEL_PROVIDER='{self.network}' {settings}{' '.join(self.command)}"

    def said(self, most=20000):
        """The end of what it has written to standard error, or all of it with None."""
        # The process writes at the offset that this descriptor has too, so it is not moved.
        descriptor = self.errors.fileno()
        text = os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode(errors="replace")
        return text[-most if most else None:]

    def state(self):
        """Whether it lives, and the end of what it has written, with its state if it lives."""
        code = self.process.poll()
        if code is None:
            self.process.send_signal(signal.SIGUSR1)  # Lintel's processes say what they wait for
            time.sleep(1)
        return f"{'lives' if code is None else f'has ended with {code}'}\n{self.said()}"

    def fail(self, sentence):
        raise Failed(f"{sentence}\n  in: {self}\n{self.said()}")

    def line(self):
        """The next line of its standard output."""
        end = time.monotonic() + TIMEOUT
        descriptor = self.process.stdout.fileno()
        while "\n" not in self.unread:
            if not select.select([descriptor], [], [], max(0, end - time.monotonic()))[0]:
                self.hang("written a line")
            got = os.read(descriptor, 4096)
            if not got:
                self.fail(f"it ended with {self.process.wait()}, expected a line")
            self.unread += got.decode("utf-8", "replace")
        line, self.unread = self.unread.split("\n", 1)
        return line

    def hang(self, what):
        self.state()
        self.fail(f"it has not {what} within {TIMEOUT} s")

    def tell(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.fail(f"it ended with {self.process.wait()}, expected it to go on")

    def kill(self):
        self.process.kill()

    def wait(self):
        """Exit code and standard output, once it has ended."""
        try:
            output, _ = self.process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.hang("ended")
        return self.process.returncode, self.unread + output

    def expect(self, *codes):
        code, output = self.wait()
        if code not in codes:
            self.fail(f"it ended with {code}, expected {' or '.join(map(str, codes))}; it wrote\n"
                      f"{output}")
        return code, output


def orphans(living):
    """Children of this process that it has not started itself. Those that have ended are waited
    for."""
    left = []
    for pid in children_of(os.getpid()):
        if pid not in living and os.waitpid(pid, os.WNOHANG)[0] == 0:
            left.append(pid)
    return left


def expect_no_children_but(living):
    if not wait_until(lambda: not orphans(living), 10):
        left = ", ".join(f"{pid} ({program_of(pid)})" for pid in orphans(living))
        raise Failed(f"processes are left: {left}; expected none")


def kill_all():
    for _ in range(1000):
        left = children_of(os.getpid())
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass


def expect_no_shared_memory():
    """Fails if /dev/shm has files: of a process that was killed, or that forgot them. REQUIRES: a
    /dev/shm of one's own."""
    if not wait_until(lambda: not os.listdir("/dev/shm"), 10):
        raise Failed(f"files are left in /dev/shm: {', '.join(sorted(os.listdir('/dev/shm')))}; "
                     "expected none")
