"""The MPIs side by side: Markdown for README.md, and a picture."""

import mpi_contestants
import plot
from matrix import MPI_MEASURES, TITLES, UNITS, column_text
from mpi_contestants import LINTEL
from tables import MICRO, figure_text, judged_text, markdown_table, ratio_text, with_ratio

BEGIN, END = "<!-- mpi-numbers:begin -->", "<!-- mpi-numbers:end -->"
COLOURS = {LINTEL: "#d95f02", "Open MPI ob1": "#1b9e77", "Open MPI mtl ofi": "#7570b3", "Open MPI ucx": "#66a61e", "MPICH ucx": "#555555"}


def measured(outcome):
    """Those of which something may have been measured."""
    return [one for one in mpi_contestants.CONTESTANTS if one.program not in outcome.absent]


def row(outcome, verdicts, title, measure, size, suffix=""):
    """One figure of all, Lintel's with its multiple of the best other one."""
    mine = [one for one in verdicts if (one.requirement.measure, one.requirement.size, one.requirement.of) == (measure, size, LINTEL + suffix)]
    cells = [with_ratio(outcome, measure, one.name + suffix, size) if one.name == LINTEL or suffix
             else figure_text(measure, outcome.of(measure, one.name, size)) for one in measured(outcome)]
    bound, verdict = judged_text(mine)
    if verdict.startswith(LINTEL):
        verdict = "missed"
    times_raw = [one.times_raw for one in mine if one.times_raw is not None]
    if times_raw:
        verdict += f" ({ratio_text(times_raw[0])} x raw)"
    return [title, *cells, bound.replace(" us", f" {MICRO}"), verdict]


def summary_markdown(outcome, works, verdicts):
    rows = []
    for measure in MPI_MEASURES:
        unit = UNITS[measure].replace("us", MICRO)
        for work in works[measure]:
            if measure != "mpi-depth":
                rows.append(row(outcome, verdicts, f"{TITLES[measure].removeprefix('MPI ')}, {column_text(measure, work.size)}, {unit}", measure, work.size))
            elif work.size > 0:
                rows += [row(outcome, verdicts, f"latency of 8 B behind {work.size:,} {queue}, {unit} (x empty)", measure, work.size, f", {queue}")
                         for queue in mpi_contestants.QUEUES]
    names = [f"{one.name} (x best other)" if one.name == LINTEL else one.name for one in measured(outcome)]
    return markdown_table(["", *names, "required of Lintel", ""], rows)


# --- The picture: bandwidth over size, latency of an empty process, latency behind queues.

def script(outcome, works, terminal, path):
    sizes = [work.size for work in works["mpi-bandwidth"]]
    lines = {one.name: [[size, outcome.of("mpi-bandwidth", one.name, size) / 1000] for size in sizes
                        if outcome.of("mpi-bandwidth", one.name, size) is not None] for one in measured(outcome)}
    deepest = max(work.size for work in works["mpi-depth"])
    small = works["mpi-latency"][0].size
    groups = [(f"{column_text('mpi-latency', small)}, no queue", "mpi-latency", "", small)]
    groups += [(queue, "mpi-depth", f", {queue}", deepest) for queue in mpi_contestants.QUEUES]
    commands = [*plot.preamble(terminal, path), "set multiplot layout 1,2", "set tics nomirror"]
    commands += plot.lines_over_size({name: rows for name, rows in lines.items() if rows}, COLOURS, sizes, "MPI bandwidth, one way, GB/s (more is better)")
    rows = [[title, *(outcome.of(measure, one.name + suffix, size) for one in measured(outcome))] for title, measure, suffix, size in groups]
    commands += plot.bars(rows, [one.name for one in measured(outcome)], [COLOURS[one.name] for one in measured(outcome)],
                          f"MPI latency of 8 B, behind {deepest:,} messages, µs (less is better)")
    return "\n".join([*commands, "unset multiplot"]) + "\n"


def draw(outcome, works, folder):
    """Writes mpi-performance.svg and mpi-performance.png there."""
    plot.write_pictures(lambda terminal, path: script(outcome, works, terminal, path), f"{folder}/mpi-performance")
