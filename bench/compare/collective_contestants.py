"""One collective function of Lintel's MPI, for bench/compare/thresholds.

The program is bench/mpi/collective_perf.c. With more ranks than processors no rank has one of its
own: each may run on any of those that are measured on.
"""

import os

import mpi_contestants
import processes
from matrix import COLLECTIVE_MEASURES

PREFIX = "collective-"  # how the names of its measures begin
PROGRAM = "collective_perf"
LIMIT_SECONDS = 100


def figure(measure):
    def measured(setup, work):
        command, environment = mpi_contestants.lintel(setup)
        program = os.path.join(setup.programs.mpi_programs, f"{PROGRAM}-lintel")
        text = processes.run(
            [*command, program, measure.removeprefix(PREFIX), str(work.size), str(work.messages),
             str(work.warm_up)],
            cpu=setup.cpus, environment={**os.environ, **environment}, limit=LIMIT_SECONDS)
        return mpi_contestants.figure_of(text)
    return measured


def series(make):
    """`make` is contestants.Series."""
    for measure in COLLECTIVE_MEASURES:
        yield make(measure, mpi_contestants.LINTEL, "lintel", figure(measure))
