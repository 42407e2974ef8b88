"""What all ranks of an MPI do together, with more ranks than processors.

One program, bench/mpi/ranks_perf.c, compiled with each, TCP. No rank has a processor of its own:
each may run on any of those that are measured on. Open MPI takes part twice, by its parameter
mpi_yield_when_idle: a rank that waits yields its processor, as Open MPI itself decides where it
knows of too many ranks; or it does not.
"""

import dataclasses
import os

import mpi_contestants
import processes
from matrix import RANKS_MEASURES

PREFIX = "ranks-"  # how the names of its measures begin
PROGRAM = "ranks_perf"
LIMIT_SECONDS = 100


# Where no rank yields, a call takes up to a hundred times as long, so fewer calls are enough.
SHARE_WITHOUT_YIELDING = 20
FEWEST_CALLS, FEWEST_WARM_UP = 5, 2


def open_mpi(launch, yields):
    """With more ranks than processors."""
    def crowded(setup):
        command, environment = launch(setup)
        return [*command, "--oversubscribe", "--mca", "mpi_yield_when_idle",
                str(int(yields))], environment
    return crowded


# name, program without which it is absent, the compiled program, launch, whether it has nothing of
# Lintel, whether a rank that waits yields its processor
CONTESTANTS = [
    (mpi_contestants.LINTEL, "lintel", "lintel", mpi_contestants.lintel, False, True),
    *((f"{name}, {'yielding' if yields else 'not yielding'}", program, "openmpi",
       open_mpi(launch, yields), is_other, yields)
      for name, program, launch, is_other in (
          (mpi_contestants.ON_LINTEL, "lintel-mpirun", mpi_contestants.open_mpi_on_lintel, False),
          ("Open MPI ob1", "mpirun.openmpi", mpi_contestants.open_mpi_ob1, True))
      for yields in (True, False)),
]


def calls_of(work, yields):
    """How many calls are timed, and how many warm up."""
    if yields:
        return work.messages, work.warm_up
    return (min(work.messages, max(work.messages // SHARE_WITHOUT_YIELDING, FEWEST_CALLS)),
            min(work.warm_up, max(work.warm_up // SHARE_WITHOUT_YIELDING, FEWEST_WARM_UP)))


def figure(measure, build, launch, yields):
    def measured(setup, work):
        calls, warm_up = calls_of(work, yields)
        command, environment = launch(dataclasses.replace(setup, ranks=work.size))
        program = os.path.join(setup.programs.mpi_programs, f"{PROGRAM}-{build}")
        text = processes.run(
            [*command, program, measure.removeprefix(PREFIX), str(calls), str(warm_up)],
            cpu=setup.cpus, environment={**os.environ, **environment}, limit=LIMIT_SECONDS)
        return mpi_contestants.figure_of(text)
    return measured


def series(make):
    """`make` is contestants.Series. Open MPI over its own TCP is the base. Over Lintel too, Open
    MPI makes its communicators itself."""
    for measure in RANKS_MEASURES:
        for name, program, build, launch, is_other, yields in CONTESTANTS:
            if program != "lintel-mpirun" or measure not in ("ranks-split", "ranks-dup"):
                yield make(measure, name, program, figure(measure, build, launch, yields),
                           is_base=is_other)
