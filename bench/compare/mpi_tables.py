"""The MPIs side by side: Markdown for README.md and doc/performance.md, and a picture."""

import mpi_contestants
import plot
from matrix import MPI_MEASURES, TITLES, UNITS, column_text
from mpi_contestants import LINTEL, ON_LINTEL
from tables import (MICRO, figure_text, how_many_met, joined_text, judged_text, markdown_table,
                    ratio_text)

NUMBERS = "mpi-numbers"  # what the markers of its blocks are called
# what README.md shows
HEADLINES = (("mpi-latency", 8), ("mpi-rate", 8), ("mpi-bandwidth", 1 << 20))
COLOURS = {LINTEL: "#d95f02", ON_LINTEL: "#e6ab02", "Open MPI ob1": "#1b9e77",
           "Open MPI mtl ofi": "#7570b3", "Open MPI ucx": "#66a61e", "MPICH ucx": "#555555"}


def measured(outcome):
    """Those of which something may have been measured."""
    return [one for one in mpi_contestants.CONTESTANTS if one.program not in outcome.absent]


def titles_of(measure, size):
    """The series of a row are called as their MPI and then by this; and what the row is called."""
    unit = UNITS[measure].replace("us", MICRO)
    if measure != "mpi-depth":
        return {"": f"{TITLES[measure].removeprefix('MPI ')}, {column_text(measure, size)}, {unit}"}
    return {f", {queue}": f"latency of 8 B behind {size:,} {queue}, {unit} (x empty)"
            for queue in mpi_contestants.QUEUES}


def row(outcome, mine, columns, measure, size, suffix):
    """`mine`: the verdicts on one of the columns, whose figure gets the multiple that is judged.
    Behind queues all figures get one."""
    judged = mine[0].requirement
    cells = []
    for one in columns:
        name = one.name + suffix
        ratio = (outcome.times_base(measure, name, size)
                 if suffix else mine[0].reached
                 if name == judged.of else None)
        cells.append(figure_text(measure, outcome.of(measure, name, size))
                     + ("" if ratio is None else f" ({ratio_text(ratio)})"))
    bound, verdict = judged_text(mine, judged.of)
    times_raw = [one.times_raw for one in mine if one.times_raw is not None]
    return [*cells, bound.replace(" us", f" {MICRO}"),
            verdict.strip() + (f" ({ratio_text(times_raw[0])} x raw)" if times_raw else "")]


def table(outcome, works, verdicts, judged, of_what, columns):
    """A row for each requirement of the MPI called `judged`."""
    rows = []
    for measure in MPI_MEASURES:
        for work in works[measure]:
            for suffix, title in titles_of(measure, work.size).items():
                key = (measure, work.size, judged + suffix)
                mine = [one
                        for one in verdicts
                        if (one.requirement.measure, one.requirement.size,
                            one.requirement.of) == key]
                if mine:
                    rows.append([title, *row(outcome, mine, columns, measure, work.size, suffix)])
    names = [one.name
             + (f" (x {of_what})" if one.name == judged else f" ({one.note})" if one.note else "")
             for one in columns]
    return markdown_table(["", *names, "required of Lintel", ""], rows)


def headline_markdown(outcome, verdicts, facts):
    """Three rows for README.md. The last heading says how many of all requirements are met."""
    columns = [one for one in measured(outcome) if one.over_tcp and mpi_contestants.has_queues(one)
               or one.name == ON_LINTEL]
    rows = []
    for measure, size in HEADLINES:
        mine = [one
                for one in verdicts
                if (one.requirement.measure, one.requirement.size) == (measure, size)
                and one.requirement.of == LINTEL]
        rows.append([titles_of(measure, size)[""],
                     *(figure_text(measure, outcome.of(measure, one.name, size))
                       for one in columns),
                     joined_text(judged_text(mine, LINTEL))])
    return markdown_table(
        [
            f"{facts['release']}, {facts['network']}", *(one.name for one in columns),
            f"required of Lintel: {how_many_met([one.met for one in verdicts])}"],
        rows)


def summary_markdown(outcome, works, verdicts):
    """Lintel's MPI beside the others."""
    return table(outcome, works, verdicts, LINTEL, "best other",
                 [one for one in measured(outcome) if mpi_contestants.has_queues(one)])


def on_lintel_markdown(outcome, works, verdicts):
    """Open MPI on Lintel beside Open MPI on what it brings itself. Nothing where it is absent."""
    columns = [one for one in measured(outcome) if one.build == "openmpi"]
    return (table(outcome, works, verdicts, ON_LINTEL, "best", columns)
            if any(one.name == ON_LINTEL for one in columns) else "")


# --- The picture: bandwidth over size, latency of an empty process, latency behind queues.

def script(outcome, works, terminal, path):
    sizes = [work.size for work in works["mpi-bandwidth"]]
    lines = {one.name: [[size, outcome.of("mpi-bandwidth", one.name, size) / 1000]
                        for size in sizes
                        if outcome.of("mpi-bandwidth", one.name, size) is not None]
             for one in measured(outcome)
             if one.over_tcp}
    deepest = max(work.size for work in works["mpi-depth"])
    small = works["mpi-latency"][0].size
    groups = [(f"{column_text('mpi-latency', small)}, no queue", "mpi-latency", "", small)]
    barred = [one for one in measured(outcome) if mpi_contestants.has_queues(one)]
    groups += [(queue, "mpi-depth", f", {queue}", deepest) for queue in mpi_contestants.QUEUES]
    commands = [*plot.preamble(terminal, path), "set multiplot layout 1,2", "set tics nomirror"]
    commands += plot.lines_over_size(
        {name: rows for name, rows in lines.items() if rows}, COLOURS, sizes,
        "MPI bandwidth, one way, GB/s (more is better)")
    rows = [[title, *(outcome.of(measure, one.name + suffix, size) for one in barred)]
            for title, measure, suffix, size in groups]
    commands += plot.bars(rows, [one.name for one in barred], [COLOURS[one.name] for one in barred],
                          f"MPI latency of 8 B, behind {deepest:,} messages, µs (less is better)")
    return "\n".join([*commands, "unset multiplot"]) + "\n"


def draw(outcome, works, folder, key):
    """Writes mpi-performance-KEY.svg and .png there, and returns their name without the ending."""
    return plot.write_pictures(
        lambda terminal, path: script(outcome, works, terminal, path), folder,
        f"mpi-performance-{key}")
