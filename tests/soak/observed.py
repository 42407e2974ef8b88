"""What a soak sees of processes and processors from outside: /proc."""

import os
import re
import time


def processors():
    """Those of the processes that are attacked, and those of the strangers.

    What is measured is what strangers cost those whom they attack. On another machine they would
    not take the time of this one's processors for their own work. So they have one, which the
    others do not use in the turns without strangers either. With a background priority they could
    do little."""
    allowed = sorted(os.sched_getaffinity(0))
    return (allowed[:-1], allowed[-1:]) if len(allowed) > 1 else (allowed, allowed)


def sockets_of(pid):
    """(local port, remote port, is listening) of each TCP socket of a process."""
    inodes = set()
    folder = f"/proc/{pid}/fd"
    try:
        for descriptor in os.listdir(folder):
            try:
                inodes.add(os.readlink(os.path.join(folder, descriptor)))
            except OSError:
                pass
        with open(f"/proc/{pid}/net/tcp", encoding="ascii") as file:
            rows = [line.split() for line in file.readlines()[1:]]
    except OSError:
        return []
    return [(int(row[1][9:], 16), int(row[2][9:], 16), row[3] == "0A") for row in rows
            if f"socket:[{row[9]}]" in inodes]


def name_of(pid):
    """The Portals process id of a process, which is the port that it listens on; 0: none yet."""
    return next((local for local, _, listens in sockets_of(pid) if listens), 0)


def memory_of(pid, what):
    """VmRSS, or VmHWM, its greatest value so far; in KiB. 0 if the process has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            return int(re.search(what + r":\s+(\d+) kB", file.read())[1])
    except (OSError, TypeError):
        return 0


def seconds_of(pid):
    """Processor time of a process: in its program, and in the kernel for it."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        ticks = file.read().rpartition(")")[2].split()[11:13]
    return [int(number) / os.sysconf("SC_CLK_TCK") for number in ticks]


class ProcessorTime:
    """What other programs use of some processors, apart from the kernel's time there, which the
    strangers' packets cause too."""

    def __init__(self, cpus, survivors):
        self.cpus, self.survivors = cpus, survivors
        self.begin = time.monotonic(), self.all_of_it(), self.own()

    def all_of_it(self):
        with open("/proc/stat", encoding="ascii") as file:
            rows = [line.split() for line in file if re.match(r"cpu\d", line)]
        ticks = sum(int(row[1]) + int(row[2]) for row in rows if int(row[0][3:]) in self.cpus)
        return ticks / os.sysconf("SC_CLK_TCK")

    def own(self):
        """Of this process, of those that it has waited for, and of the survivors."""
        times = os.times()
        seconds = times.user + times.children_user
        return seconds + sum(seconds_of(survivor.process.pid)[0] for survivor in self.survivors)

    def by_others(self):
        """As a part of all that there was since the beginning."""
        begin, all_of_it, own = self.begin
        others = self.all_of_it() - all_of_it - (self.own() - own)
        return others / ((time.monotonic() - begin) * len(self.cpus))
