"""The MPIs that are measured: bench/mpi/mpi_perf.c, compiled with each, two ranks, TCP.

Every launcher is told to bind nothing, and starts the program through `rank`, which gives each rank
its processor, and its network namespace where there are two.
"""

import functools
import os
import re
import shutil
from dataclasses import dataclass

import processes
from matrix import MPI_MEASURES, WINDOWED
from namespaces import DEVICE
from processes import RunFailed

RANK = os.path.join(os.path.dirname(os.path.realpath(__file__)), "rank")
PREFIX = "mpi-"  # how the names of its measures begin
LINTEL = "Lintel MPI"
ON_LINTEL = "Open MPI on Lintel"
NOT_OVER_TCP = "not over TCP"
QUEUES = {"posted": ("posted",), "posted, any source": ("posted", "any"),
          "unexpected": ("unexpected",), "unexpected, any source": ("unexpected", "any")}


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
        return "" if self.over_tcp else NOT_OVER_TCP


def of_lintel(setup):
    """Lintel takes loopback unless told otherwise."""
    return {"LINTEL_PROVIDER": setup.lintel_provider,
            **({"LINTEL_INTERFACE": DEVICE} if setup.network.second else {})}


def lintel(setup):
    return [setup.programs.lintel_run, "-n", str(setup.ranks), "--bind", "none"], of_lintel(setup)


def open_mpi(*parameters, **environment):
    """Debian's /etc/openmpi/openmpi-mca-params.conf excludes mtl ofi and pml ucx: what is named
    here overrules it."""
    def launch(setup):
        return mpirun("mpirun.openmpi", setup.ranks, parameters), {**environment, **of_pmix(setup)}
    return launch


def mpirun(program, ranks, parameters=()):
    command = [program, "--allow-run-as-root", "-n", str(ranks), "--bind-to", "none"]
    return command + [word for name, value in parameters for word in ("--mca", name, value)]


def of_pmix(setup):
    """The launcher listens for its ranks on loopback, which a rank in the other namespace does not
    reach."""
    return {"PMIX_MCA_ptl_tcp_if_include": DEVICE} if setup.network.second else {}


def open_mpi_ob1(setup):
    return open_mpi(("pml", "ob1"), ("btl", "tcp,self"),
                    ("btl_tcp_if_include", setup.network.device()))(setup)


def open_mpi_mtl_ofi(setup):
    """Over the provider that raw libfabric has."""
    return open_mpi(("pml", "cm"), ("mtl", "ofi"), ("mtl_ofi_provider_include", setup.provider),
                    ("btl", "self"))(setup)


def open_mpi_on_lintel(setup):
    return mpirun(setup.programs.lintel_mpirun, setup.ranks), {**of_lintel(setup), **of_pmix(setup)}


def open_mpi_shared_memory(setup):
    """Its component for shared memory is called otherwise from one series to the next."""
    return open_mpi(("pml", "ob1"),
                    ("btl", f"{shared_memory_btl(said_by('ompi_info', '--parsable'))},self"))(setup)


@functools.cache
def said_by(*command):
    return processes.run(list(command))


def shared_memory_btl(components):
    """`components`: lines of `ompi_info --parsable`. Where there is vader, sm is a name without a
    component behind it."""
    return "vader" if re.search(r"^mca:btl:vader:", components, re.MULTILINE) else "sm"


UCX = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": DEVICE, "UCX_WARN_UNUSED_ENV_VARS": "n"}


def mpich(setup):
    """Without its own shared memory between ranks of one machine."""
    return ["mpiexec.mpich", "-n", str(setup.ranks),
            "-bind-to", "none"], {"MPIR_CVAR_NOLOCAL": "1", **UCX}


CONTESTANTS = [
    Contestant(LINTEL, "lintel", "lintel", lintel, is_other=False),
    Contestant(ON_LINTEL, "lintel-mpirun", "openmpi", open_mpi_on_lintel, is_other=False),
    Contestant("Open MPI ob1", "mpirun.openmpi", "openmpi", open_mpi_ob1),
    Contestant("Open MPI mtl ofi", "mpirun.openmpi", "openmpi", open_mpi_mtl_ofi),
    Contestant(
        "Open MPI ucx", "mpirun.openmpi", "openmpi",
        open_mpi(("pml", "ucx"), ("pml_ucx_tls", "any"), ("pml_ucx_devices", "any"),
                 ("btl", "self"), **UCX)),
    Contestant("MPICH ucx", "mpiexec.mpich", "mpich", mpich),
    Contestant("Open MPI shared memory", "mpirun.openmpi", "openmpi", open_mpi_shared_memory,
               is_other=False, over_tcp=False),
]
BUILDS = {"mpirun.openmpi": "openmpi", "mpiexec.mpich": "mpich"}
DEBIAN_PACKAGES = {"mpirun.openmpi": "openmpi-bin", "mpiexec.mpich": "mpich"}
DEPTH_LIMIT_SECONDS = 20  # some take minutes behind 10,000 messages
OTHERS_LIMIT_SECONDS = 30  # a figure takes seconds; some never end now and then
DEVELOPMENT = {"mpirun.openmpi": "libopenmpi-dev", "mpiexec.mpich": "libmpich-dev"}


def program_of(folder, build):
    return os.path.join(folder, f"mpi_perf-{build}")


def figure_of(text):
    """The figure in the line of JSON that the program has written, among whatever its launcher
    says."""
    lines = [line for line in text.splitlines() if line.startswith("{")]
    if len(lines) != 1:
        raise RunFailed(f"mpi_perf: expected one line of JSON: {processes.last_line(text)}")
    document = processes.parse_json(lines[0], "mpi_perf")
    if document["verified_messages"] == 0:
        raise RunFailed("mpi_perf: verified no message")
    return document["value"]


def run(contestant, setup, arguments, limit=None):
    limit = limit or (OTHERS_LIMIT_SECONDS if contestant.is_other else processes.LIMIT_SECONDS)
    command, environment = contestant.launch(setup)
    program = program_of(setup.programs.mpi_programs, contestant.build)
    ranks = [RANK, setup.cpu_list(), setup.network.second]
    text = processes.run([*command, *ranks, program, *map(str, arguments)], cpu=setup.cpus,
                         environment={**os.environ, **environment}, limit=limit)
    return figure_of(text)


def figure(contestant, measure):
    def measured(setup, work):
        mode = measure.removeprefix(PREFIX)
        return run(contestant, setup,
                   [mode, work.size, work.messages, work.warm_up,
                    *([work.window] if measure in WINDOWED else [])])
    return measured


def behind(contestant, queue):
    def measured(setup, work):
        mode, *sources = QUEUES[queue]
        return (run(contestant, setup, [mode, work.size, work.messages, work.warm_up, *sources],
                    DEPTH_LIMIT_SECONDS))
    return measured


def series(make):
    """`make` is contestants.Series. The others are the base: all are given as multiples of the best
    of them."""
    for one in CONTESTANTS:
        for measure in MPI_MEASURES:
            if measure != "mpi-depth":
                yield make(measure, one.name, one.program, figure(one, measure),
                           is_base=one.is_other, note=one.note)
        for queue in QUEUES if has_queues(one) else ():
            yield make("mpi-depth", f"{one.name}, {queue}", one.program, behind(one, queue))


def has_queues(contestant):
    """Whether it is measured behind queues: Lintel's own MPI, and the others."""
    return contestant.is_other or contestant.name == LINTEL


def why_not_compiled(folder, find=shutil.which):
    """Program -> why, of those that are installed but whose mpi_perf was not compiled."""
    return {program: f"mpi_perf was not compiled with it (Debian package {DEVELOPMENT[program]}; "
                     "then configure the build tree again)"
            for program, build in BUILDS.items()
            if find(program) and not os.access(program_of(folder, build), os.X_OK)}


def why_not_over_ucx(find=shutil.which, said=said_by):
    """The same of an MPICH that was built for something else: what is set for it is UCX's."""
    if not find("mpiexec.mpich") or not find("mpichversion"):
        return {}
    try:
        device = re.search(r"^MPICH Device:\s*(\S+)", said("mpichversion"), re.MULTILINE)
    except RunFailed as failure:
        return {"mpiexec.mpich": str(failure)}
    found = device.group(1) if device else "unknown"
    return {} if found.endswith(":ucx") else {
        "mpiexec.mpich": f"its device is {found}; expected ch4:ucx, as in Debian's"}


def why_not_on_lintel(setup, find=shutil.which):
    """The same of Open MPI on Lintel."""
    programs = setup.programs
    needed = (programs.lintel_mpirun, program_of(programs.mpi_programs, "openmpi"))
    if not all(os.access(path, os.X_OK) for path in needed):
        return {
            "lintel-mpirun": "the build tree has no component for Open MPI (Debian packages "
                             "openmpi-bin and libopenmpi-dev; then configure it again)"}
    return {} if find("mpirun.openmpi") else {
        "lintel-mpirun": "mpirun.openmpi is not installed (Debian package openmpi-bin)"}
