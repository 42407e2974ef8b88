"""The MPIs that are measured: one program, bench/mpi/mpi_perf.c, compiled with each, two ranks, one on each processor, TCP over loopback."""

import os
import shutil
from dataclasses import dataclass

import processes
from matrix import MPI_MEASURES, WINDOWED
from processes import RunFailed

PREFIX = "mpi-"  # how the names of its measures begin
LINTEL = "Lintel MPI"
ON_LINTEL = "Open MPI on Lintel"
QUEUES = {"posted": ("posted",), "posted, any source": ("posted", "any"), "unexpected": ("unexpected",), "unexpected, any source": ("unexpected", "any")}


@dataclass(frozen=True)
class Contestant:
    name: str
    program: str  # of which it is absent where that is; "lintel" for this tree's
    build: str  # which of the compiled programs: mpi_perf-<build>
    launch: object  # of a Setup: the command in front of the program, and the environment to add
    is_other: bool = True  # one of those over TCP that have nothing of Lintel
    over_tcp: bool = True

    @property
    def note(self):
        return "" if self.over_tcp else "not over TCP"


def lintel(setup):
    return [setup.lintel_run, "-n", "2", "--bind", "core"], {"LINTEL_PROVIDER": setup.lintel_provider}


def open_mpi(*parameters, **environment):
    """Debian's /etc/openmpi/openmpi-mca-params.conf excludes mtl ofi and pml ucx: what is named here overrules it."""
    def launch(setup):
        return mpirun("mpirun.openmpi", setup, parameters), environment
    return launch


def mpirun(program, setup, parameters=()):
    command = [program, "--allow-run-as-root", "-n", "2", "--cpu-list", ",".join(map(str, setup.cpus)), "--bind-to", "cpu-list:ordered"]
    return command + [word for name, value in parameters for word in ("--mca", name, value)]


def open_mpi_mtl_ofi(setup):
    """Over the provider that raw libfabric has."""
    return open_mpi(("pml", "cm"), ("mtl", "ofi"), ("mtl_ofi_provider_include", setup.provider), ("btl", "self"))(setup)


def open_mpi_on_lintel(setup):
    return mpirun(setup.lintel_mpirun, setup), {"LINTEL_PROVIDER": setup.lintel_provider}


UCX = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo", "UCX_WARN_UNUSED_ENV_VARS": "n"}


def mpich(setup):
    """Without its own shared memory between ranks of one machine."""
    return ["mpiexec.mpich", "-n", "2", "-bind-to", "user:" + ",".join(map(str, setup.cpus))], {"MPIR_CVAR_NOLOCAL": "1", **UCX}


CONTESTANTS = [
    Contestant(LINTEL, "lintel", "lintel", lintel, is_other=False),
    Contestant(ON_LINTEL, "lintel-mpirun", "openmpi", open_mpi_on_lintel, is_other=False),
    Contestant("Open MPI ob1", "mpirun.openmpi", "openmpi", open_mpi(("pml", "ob1"), ("btl", "tcp,self"), ("btl_tcp_if_include", "lo"))),
    Contestant("Open MPI mtl ofi", "mpirun.openmpi", "openmpi", open_mpi_mtl_ofi),
    Contestant("Open MPI ucx", "mpirun.openmpi", "openmpi",
               open_mpi(("pml", "ucx"), ("pml_ucx_tls", "any"), ("pml_ucx_devices", "any"), ("btl", "self"), **UCX)),
    Contestant("MPICH ucx", "mpiexec.mpich", "mpich", mpich),
    Contestant("Open MPI vader", "mpirun.openmpi", "openmpi", open_mpi(("pml", "ob1"), ("btl", "vader,self")), is_other=False, over_tcp=False),
]
BUILDS = {"mpirun.openmpi": "openmpi", "mpiexec.mpich": "mpich"}
DEBIAN_PACKAGES = {"mpirun.openmpi": "openmpi-bin", "mpiexec.mpich": "mpich"}
DEPTH_LIMIT_SECONDS = 20  # some take minutes behind 10,000 messages
DEVELOPMENT = {"mpirun.openmpi": "libopenmpi-dev", "mpiexec.mpich": "libmpich-dev"}


def program_of(folder, build):
    return os.path.join(folder, f"mpi_perf-{build}")


def figure_of(text):
    """The figure in the line of JSON that the program has written, among whatever its launcher says."""
    lines = [line for line in text.splitlines() if line.startswith("{")]
    if len(lines) != 1:
        raise RunFailed(f"mpi_perf: expected one line of JSON: {processes.last_line(text)}")
    document = processes.parse_json(lines[0], "mpi_perf")
    if document["verified_messages"] == 0:
        raise RunFailed("mpi_perf: verified no message")
    return document["value"]


def run(contestant, setup, arguments, limit=processes.LIMIT_SECONDS):
    command, environment = contestant.launch(setup)
    program = program_of(setup.mpi_programs, contestant.build)
    text = processes.run([*command, program, *map(str, arguments)], cpu=setup.cpus, environment={**os.environ, **environment}, limit=limit)
    return figure_of(text)


def figure(contestant, measure):
    def measured(setup, work):
        mode = measure.removeprefix(PREFIX)
        return run(contestant, setup, [mode, work.size, work.messages, work.warm_up, *([work.window] if measure in WINDOWED else [])])
    return measured


def behind(contestant, queue):
    def measured(setup, work):
        mode, *sources = QUEUES[queue]
        return run(contestant, setup, [mode, work.size, work.messages, work.warm_up, *sources], DEPTH_LIMIT_SECONDS)
    return measured


def series(make):
    """`make` is contestants.Series. The others are the base: all are given as multiples of the best of them."""
    for one in CONTESTANTS:
        for measure in MPI_MEASURES:
            if measure != "mpi-depth":
                yield make(measure, one.name, one.program, figure(one, measure), is_base=one.is_other, note=one.note)
        for queue in QUEUES if has_queues(one) else ():
            yield make("mpi-depth", f"{one.name}, {queue}", one.program, behind(one, queue))


def has_queues(contestant):
    """Whether it is measured behind queues: Lintel's own MPI, and the others."""
    return contestant.is_other or contestant.name == LINTEL


def why_not_compiled(folder, find=shutil.which):
    """Program -> why, of those that are installed but whose mpi_perf was not compiled."""
    return {program: f"mpi_perf was not compiled with it (Debian package {DEVELOPMENT[program]}; then configure the build tree again)"
            for program, build in BUILDS.items() if find(program) and not os.access(program_of(folder, build), os.X_OK)}


def why_not_on_lintel(setup, find=shutil.which):
    """The same of Open MPI on Lintel."""
    if not os.access(setup.lintel_mpirun, os.X_OK) or not os.access(program_of(setup.mpi_programs, "openmpi"), os.X_OK):
        return {"lintel-mpirun": "the build tree has no component for Open MPI (Debian packages openmpi-bin and libopenmpi-dev; then configure it again)"}
    return {} if find("mpirun.openmpi") else {"lintel-mpirun": "mpirun.openmpi is not installed (Debian package openmpi-bin)"}
