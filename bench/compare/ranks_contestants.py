"""What all ranks of an MPI do together, with more of them than processors: one program, bench/mpi/ranks_perf.c, compiled with each, TCP.

No rank has a processor of its own: each may run on any of those that are measured on. Open MPI takes part twice: by its parameter mpi_yield_when_idle what waits yields its
processor, as Open MPI itself decides where it knows of too many ranks, or does not.
"""

import dataclasses
import os

import mpi_contestants
import processes
from matrix import RANKS_MEASURES

PREFIX = "ranks-"  # how the names of its measures begin
PROGRAM = "ranks_perf"
LIMIT_SECONDS = 100


def open_mpi(launch, yields):
    """With more ranks than processors."""
    def crowded(setup):
        command, environment = launch(setup)
        return [*command, "--oversubscribe", "--mca", "mpi_yield_when_idle", str(int(yields))], environment
    return crowded


# name, program of which it is absent where that is, the compiled program, launch, whether it has nothing of Lintel
CONTESTANTS = [
    (mpi_contestants.LINTEL, "lintel", "lintel", mpi_contestants.lintel, False),
    *((f"{name}, {'yielding' if yields else 'not yielding'}", program, "openmpi", open_mpi(launch, yields), is_other) for name, program, launch, is_other in (
        (mpi_contestants.ON_LINTEL, "lintel-mpirun", mpi_contestants.open_mpi_on_lintel, False),
        ("Open MPI ob1", "mpirun.openmpi", mpi_contestants.open_mpi_ob1, True)) for yields in (True, False)),
]


def figure(measure, build, launch):
    def measured(setup, work):
        command, environment = launch(dataclasses.replace(setup, ranks=work.size))
        program = os.path.join(setup.mpi_programs, f"{PROGRAM}-{build}")
        text = processes.run([*command, program, measure.removeprefix(PREFIX), str(work.messages), str(work.warm_up)], cpu=setup.cpus,
                             environment={**os.environ, **environment}, limit=LIMIT_SECONDS)
        return mpi_contestants.figure_of(text)
    return measured


def series(make):
    """`make` is contestants.Series. Open MPI over its own TCP is the base. Communicators are its own business over Lintel too."""
    for measure in RANKS_MEASURES:
        for name, program, build, launch, is_other in CONTESTANTS:
            if program != "lintel-mpirun" or measure not in ("ranks-split", "ranks-dup"):
                yield make(measure, name, program, figure(measure, build, launch), is_base=is_other)
