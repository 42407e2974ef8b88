"""The programs that are measured: how each is called, and where in its output the figure stands.

Every figure is the mean over one pass, or the median of the passes where the program makes several:
microseconds of half a round trip, messages per second, MB/s (1e6 bytes), or microseconds from a put
to its acknowledgement.
"""

import os
import shutil
import tempfile
from dataclasses import dataclass
from typing import Callable

import collective_contestants
import contact_contestants
import impi_contestants
import mpi_contestants
import processes
import ranks_contestants
from matrix import RAW_BESIDE_MPI
from namespaces import DEVICE, Network
from processes import RunFailed, parse_json

MEBIBYTE = 1048576
UCX_PUT_SHARE = 8  # it is so much slower over TCP that it gets an eighth of the messages


@dataclass(frozen=True)
class Programs:
    """Paths of what one build tree has."""

    raw: str  # lintel-raw-fabric
    perf: str  # lintel-perf
    lintel_run: str = ""
    mpi_programs: str = ""  # folder of the mpi_perf programs
    lintel_mpirun: str = ""  # not there where Open MPI is not installed
    impi_server: str = ""
    tcp_pair: str = ""
    libraries: str = ""  # folder
    first_contact: str = ""

    @staticmethod
    def of(folder):
        tools, bench = os.path.join(folder, "tools"), os.path.join(folder, "bench")
        return Programs(os.path.join(bench, "raw", "lintel-raw-fabric"),
                        os.path.join(tools, "lintel-perf", "lintel-perf"),
                        os.path.join(tools, "lintel-run", "lintel-run"),
                        os.path.join(bench, "mpi"),
                        os.path.join(tools, "lintel-mpirun", "lintel-mpirun"),
                        os.path.join(tools, "impi-server", "impi-server"),
                        os.path.join(bench, "mpi", "tcp_pair"),
                        os.path.join(folder, "portals"),
                        os.path.join(bench, "contact", "first_contact"))

    def missing(self):
        """Those that every build tree has, and that are not there."""
        return [path for path in (self.raw, self.perf, self.lintel_run, self.impi_server,
                                  self.tcp_pair,
                                  mpi_contestants.program_of(self.mpi_programs, "lintel"))
                if not os.access(path, os.X_OK)]


@dataclass(frozen=True)
class Setup:
    programs: Programs
    provider: str  # of libfabric's programs: raw, fi_pingpong, Open MPI's mtl ofi
    lintel_provider: str  # of Lintel's programs
    cpus: tuple
    network: Network = Network()  # where the two processes are
    ranks: int = 2  # of a job of MPI
    # folder of the libraries that lintel-perf and first_contact use in place of their own
    libraries: str = ""

    def cpu_list(self):
        return ",".join(map(str, self.cpus))

    def environment(self):
        """Of lintel-perf and first_contact."""
        return {**os.environ, "LD_LIBRARY_PATH": self.libraries} if self.libraries else None


@dataclass(frozen=True)
class Series:
    """One line of a table: a program doing one operation."""

    measure: str
    name: str
    program: str
    figure: Callable  # of a Setup and a Work; raises RunFailed
    is_base: bool = False  # others are given as multiples of it
    note: str = ""


# --- libfabric without Lintel

def raw_figure(document, key):
    [row] = document["results"]
    return row[key]["median"]


def raw(mode, key):
    def figure(setup, work):
        command = [setup.programs.raw, mode, "--provider", setup.provider,
                   "--cpu", setup.cpu_list(), "--sizes", str(work.size),
                   "--iterations", str(work.messages),
                   "--warm-up", str(work.warm_up), "--window", str(work.window),
                   "--repeats", str(work.passes), "--json", "-"]
        if setup.network.second:
            command += ["--addresses", ",".join(setup.network.addresses()),
                        "--target-namespace", setup.network.second]
        return raw_figure(parse_json(processes.run(command), "lintel-raw-fabric"), key)
    return figure


# --- Lintel

def lintel_figure(document, key, statistic="value"):
    if document["status"] != "ok":
        raise RunFailed(f"lintel-perf: {document['error']}")
    [row] = document["results"]
    if document["validated"] and row["verified_messages"] == 0:
        raise RunFailed("lintel-perf: verified no message")
    return row[key][statistic]


def lintel_perf(setup, sub_command, options):
    """Its JSON document. On one host it starts its second process itself."""
    common = ["--provider", setup.lintel_provider, "--cpu", setup.cpu_list()]
    client = [setup.programs.perf, sub_command, *common, *options, "--json", "-"]
    if not setup.network.second:
        return parse_json(processes.run(client, environment=setup.environment()), "lintel-perf")
    own, servers = setup.network.addresses()
    server = [setup.programs.perf, "--server", "--once", "--bind", servers, *common]
    return parse_json(
        processes.run_pair(
            server, [*client, "--client", servers, "--bind", own], processes.has_spoken, setup.cpus,
            environment=setup.environment(), namespace=setup.network.second), "lintel-perf")


def lintel(sub_command, key, *options):
    def figure(setup, work):
        of_work = ["--sizes", str(work.size), "--iterations", str(work.messages),
                   "--warm-up", str(work.warm_up), "--window", str(work.window),
                   "--repeats", str(work.passes)]
        return lintel_figure(lintel_perf(setup, sub_command, [*of_work, *options]), key)
    return figure


def lintel_passive(*options):
    def figure(setup, work):
        of_work = ["--sizes", str(work.size), "--passive-mode", "compute",
                   "--passive-seconds", str(work.seconds)]
        return lintel_figure(lintel_perf(setup, "passive", [*of_work, *options]), "put_to_ack_us",
                             "p50")
    return figure


# --- UCX over TCP. Its MB are 2^20 bytes. It prints a line each second, and one at the end.
# Columns: iterations; microseconds: percentile,
# of the last second, of all; MB/s and messages/s: of the last second, of all.

UCX_ENVIRONMENT = {"UCX_TLS": "tcp", "UCX_NET_DEVICES": DEVICE, "UCX_WARN_UNUSED_ENV_VARS": "n"}


def ucx_columns(text):
    rows = [line.split(",")
            for line in map(str.strip, text.splitlines())
            if line[:1].isdigit() and "," in line]
    if not rows or len(rows[-1]) != 8:
        raise RunFailed(f"ucx_perftest: no line of eight figures: {processes.last_line(text)}")
    _, _, _, overall_us, _, overall_mib, _, overall_rate = map(float, rows[-1])
    return {"us": overall_us, "MB/s": overall_mib * MEBIBYTE / 1e6, "messages/s": overall_rate}


def ucx(test, column, share=1):
    """Runs ucx_perftest at a terminal: one that was built with MPI takes another standard input for
    a sign that mpirun has started it."""
    def figure(setup, work):
        port = str(processes.free_port())
        messages = max(work.messages // share, work.window)
        server = ["ucx_perftest", "-p", port]
        client = ["ucx_perftest", setup.network.server(), "-p", port, "-t", test,
                  "-s", str(work.size), "-n", str(messages),
                  "-w", str(max(work.warm_up // share, 1)), "-f", "-v"]
        if work.window > 1:
            client += ["-O", str(work.window)]
        return ucx_columns(
            processes.run_pair(server, client, processes.listens_on(int(port)), setup.cpus,
                               {**os.environ, **UCX_ENVIRONMENT}, namespace=setup.network.second,
                               at_terminal=True))[column]
    return figure


# --- fi_pingpong, of libfabric itself.
# Columns: bytes, sent, acknowledged, total, time, MB/sec, usec/xfer, Mxfers/sec.

def pingpong_us(text):
    rows = [line.split() for line in text.splitlines() if line[:1].isdigit()]
    if len(rows) != 1 or len(rows[0]) != 8:
        raise RunFailed(f"fi_pingpong: no line of eight figures: {processes.last_line(text)}")
    return float(rows[0][6])


def fi_pingpong(setup, work):
    port = str(processes.free_port())
    common = ["fi_pingpong", "-p", setup.provider, "-e", "rdm", "-I", str(work.messages),
              "-S", str(work.size)]
    return pingpong_us(
        processes.run_pair([*common, "-B", port], [*common, "-P", port, setup.network.server()],
                           processes.listens_on(int(port)),
                           setup.cpus,
                           namespace=setup.network.second))


# --- NetPIPE over sockets, without libfabric.
# Its file has lines of: bytes, Mbit/s, seconds of half a round trip.

def netpipe_us(text, size):
    for line in text.splitlines():
        columns = line.split()
        if len(columns) == 3 and columns[0] == str(size):
            return float(columns[2]) * 1e6
    raise RunFailed(f"NPtcp: no line for {size} bytes: {processes.last_line(text)}")


def netpipe(setup, work):
    port = str(processes.free_port())
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "np.out")
        common = ["NPtcp", "-P", port, "-l", str(work.size), "-u", str(work.size), "-p", "0",
                  "-n", str(work.messages)]
        processes.run_pair(
            [*common, "-o", os.path.join(folder, "server.out")],
            [*common, "-o", path, "-h", setup.network.server()], processes.listens_on(int(port)),
            setup.cpus, namespace=setup.network.second)
        with open(path, encoding="ascii") as file:
            return netpipe_us(file.read(), work.size)


def portals4(notify):
    """The same through Portals 4, its completions learnt by full events or by counters."""
    api = ("--api", "4", "--notify", notify)
    yield Series("latency", f"{PORTALS4} put, {notify}", "lintel",
                 lintel("put-lat", "put_latency_us", *api))
    yield Series("rate", f"{PORTALS4} put, {notify}", "lintel",
                 lintel("msg-rate", "message_rate_per_s", "--completion", "remote", *api))
    yield Series("bandwidth", f"{PORTALS4} put, {notify}", "lintel",
                 lintel("put-bw", "put_bandwidth_MB_per_s", "--completion", "remote", *api))
    yield Series("bandwidth", f"{PORTALS4} get, {notify}", "lintel",
                 lintel("get-bw", "get_bandwidth_MB_per_s", *api))
    yield Series("passive", f"{PORTALS4} put, {notify}", "lintel", lintel_passive(*api))


PORTALS4 = "Portals 4"  # how the names of its series begin
SERIES = [
    Series("latency", "raw send", "raw", raw("pingpong", "latency_us"), is_base=True),
    Series("latency", "Lintel put", "lintel", lintel("put-lat", "put_latency_us")),
    Series("latency", "UCX tag", "ucx_perftest", ucx("tag_lat", "us")),
    Series("latency", "fi_pingpong", "fi_pingpong", fi_pingpong, note="no warm-up"),
    Series("latency", "NetPIPE TCP", "NPtcp", netpipe,
           note="sockets, blocking: the kernel puts it to sleep"),
    Series("rate", "raw send", "raw", raw("rate", "messages_per_second"), is_base=True),
    Series("rate", "Lintel put", "lintel",
           lintel("msg-rate", "message_rate_per_s", "--completion", "remote")),
    Series("rate", "UCX tag", "ucx_perftest", ucx("tag_bw", "messages/s")),
    Series("bandwidth", "raw send", "raw", raw("bw-send", "bandwidth_MBps"), is_base=True),
    Series("bandwidth", "raw write", "raw", raw("bw-write", "bandwidth_MBps"), is_base=True),
    Series("bandwidth", "raw read", "raw", raw("bw-read", "bandwidth_MBps"), is_base=True),
    Series("bandwidth", "Lintel put", "lintel",
           lintel("put-bw", "put_bandwidth_MB_per_s", "--completion", "remote")),
    Series("bandwidth", "Lintel get", "lintel", lintel("get-bw", "get_bandwidth_MB_per_s")),
    Series("bandwidth", "UCX tag", "ucx_perftest", ucx("tag_bw", "MB/s")),
    Series("bandwidth", "UCX put", "ucx_perftest", ucx("ucp_put_bw", "MB/s", UCX_PUT_SHARE)),
    Series("passive", "Lintel put", "lintel", lintel_passive()),
    *(series for notify in ("events", "counters") for series in portals4(notify)),
    Series("fetch", f"{PORTALS4} get", "lintel", lintel("get-lat", "get_latency_us", "--api", "4"),
           is_base=True),
    Series("fetch", f"{PORTALS4} fetch-atomic", "lintel",
           lintel("fetch-lat", "fetch_latency_us", "--api", "4")),
    Series("mpi-latency", RAW_BESIDE_MPI, "raw",
           raw("pingpong", "latency_us")), *mpi_contestants.series(Series),
    *impi_contestants.series(Series), *ranks_contestants.series(Series),
]
OF_BUILDS = [*contact_contestants.series(Series)]  # of bench/compare/builds besides
OF_THRESHOLDS = [*collective_contestants.series(Series)]  # of bench/compare/thresholds besides

OF_THIS_TREE = ("raw", "lintel", "lintel-mpirun", impi_contestants.TCP_PAIR)
DEBIAN_PACKAGES = {"ucx_perftest": "ucx-utils", "fi_pingpong": "libfabric-bin",
                   "NPtcp": "netpipe-tcp", **mpi_contestants.DEBIAN_PACKAGES}
TCP_ONLY = ("ucx_perftest", "NPtcp", *mpi_contestants.DEBIAN_PACKAGES)
# Lintel's transport over TCP sockets of its own; libfabric has no provider of this name
DIRECT = "direct"


def runs_over_tcp(provider):
    return provider.split(";")[0] in ("net", "tcp", "sockets")


def lintel_provider_beside(provider):
    """What Lintel's programs use beside this provider of libfabric, unless told otherwise."""
    return DIRECT if runs_over_tcp(provider) else provider


def why_absent(provider, find=shutil.which):
    """Program -> why it takes no part, for those that do not."""
    absent = {}
    over_tcp = runs_over_tcp(provider)
    for program, package in DEBIAN_PACKAGES.items():
        if find(program) is None:
            absent[program] = f"not installed (Debian package {package})"
        elif program in TCP_ONLY and not over_tcp:
            absent[program] = f"runs over TCP here, the provider {provider} does not"
    return absent
