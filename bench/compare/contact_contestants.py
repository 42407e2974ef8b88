"""The first put between two processes of Lintel, beside a second one.

bench/contact/first_contact.c: one rank puts to each of the others for the first time, and then
again. It has the first processor, the others have the second one, and only one of them has
something to do at a time. The figure of a run is the median over the others, but for that of the
first contact of all, to which the rank itself comes for the first time.
"""

import dataclasses
import os

import mpi_contestants
import processes
from matrix import BUILDS_MEASURES
from processes import RunFailed

FIRST_OF_ALL, FIRST, SECOND = (f"Lintel put, {which}"
                               for which in ("first of all", "first", "second"))


def figures_of(text):
    """Series -> its figure, of the line of JSON among whatever the launcher says."""
    lines = [line for line in text.splitlines() if line.startswith("{")]
    if len(lines) != 1:
        raise RunFailed(
            f"first_contact: expected one line of JSON: {processes.last_line(text)}")
    document = processes.parse_json(lines[0], "first_contact")
    return {FIRST_OF_ALL: document["first_us_each"][0], FIRST: document["first_us"],
            SECOND: document["second_us"]}


def figure(name):
    def measured(setup, work):
        command, environment = mpi_contestants.lintel(
            dataclasses.replace(setup, ranks=work.messages + 1))
        text = processes.run(
            [*command, mpi_contestants.RANK, setup.cpu_list(), setup.network.second,
             setup.programs.first_contact, str(work.size)], cpu=setup.cpus,
            environment={**(setup.environment() or os.environ), **environment})
        return figures_of(text)[name]
    return measured


def series(make):
    """`make` is contestants.Series."""
    for measure in BUILDS_MEASURES:
        for name in (FIRST_OF_ALL, FIRST, SECOND):
            yield make(measure, name, "lintel", figure(name))
