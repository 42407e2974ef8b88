"""The outcome as a picture, drawn by gnuplot.

Bandwidth over size on the left, latency on the right.
"""

import tempfile

import processes
from contestants import PORTALS4
from matrix import size_text

TERMINALS = {
    "svg": "svg size 1100,420 noenhanced font 'sans-serif,13' background rgb 'white'",
    "png": "pngcairo size 1100,420 noenhanced font 'sans-serif,11'",
}
# Of bandwidth: name in the picture -> name of the series, None: the best raw one.
LINES = {"raw libfabric, best": None, "Lintel put": "Lintel put", "Lintel get": "Lintel get",
         "UCX tag": "UCX tag"}
COLOURS = dict(zip(LINES, ("#555555", "#d95f02", "#1b9e77", "#7570b3")))
SHADES = ["#9ecae1", "#3182bd", "#08519c"]
# a program that sleeps in the kernel would hide the differences between those that poll
SLEEPERS = ("NPtcp",)


def cell_text(cell):
    if cell is None:
        return "?"
    return f'"{cell}"' if isinstance(cell, str) else f"{cell:g}"


def rows_text(rows):
    return "\n".join(" ".join(map(cell_text, row)) for row in rows)


def bandwidth_rows(outcome, sizes, series):
    for size in sizes:
        raw = outcome.best_base("bandwidth", size)
        figure = outcome.of("bandwidth", series, size) if series else raw[1] if raw else None
        if figure is not None:
            yield [size, figure / 1000]


def head_room(figures):
    """From 0 to so far above the largest that the key has a place of its own."""
    most = max((figure for figure in figures if figure is not None), default=1)
    return f"set yrange [0:{1.25 * most:g}]"


def in_lines(label, separator):
    """The label broken after each separator: they stand close together."""
    return label.replace(separator, separator.rstrip() + "\\n")


def preamble(terminal, path):
    return [
        f"set terminal {terminal}", f"set output '{path}'", "set encoding utf8",
        "set grid ytics lt 1 lw 1 lc rgb '#dddddd'", "set border 3",
        "set datafile missing '?'", "set bmargin 3.5"]


def lines_over_size(lines, colours, sizes, title):
    """`lines`: name -> rows of size and figure."""
    commands = [f"$line{index} << EOD\n{rows_text(rows)}\nEOD"
                for index, rows in enumerate(lines.values())]
    commands += [head_room(row[1] for rows in lines.values() for row in rows),
                 f"set title '{title}'", "set logscale x 2", "set key top center horizontal",
                 "set xtics ("
                 + ", ".join(f'"{in_lines(size_text(size), " ")}" {size}' for size in sizes) + ")",
                 f"set xrange [{sizes[0] / 1.3:g}:{sizes[-1] * 1.3:g}]"]
    if lines:
        commands.append("plot " + ", ".join(
            f"$line{index} using 1:2 with linespoints lw 2 pt 7 ps 0.6 lc rgb '{colours[name]}' "
            f"title '{name}'"
            for index, name in enumerate(lines)))
    return commands


def bars(rows, titles, colours, title):
    """`rows`: a group of bars each, its name and a figure for each of `titles`."""
    commands = [f"$bars << EOD\n{rows_text(rows)}\nEOD", "unset logscale x", "unset xtics",
                f"set xrange [-0.6:{max(len(rows), 1) - 0.4:g}]",
                "set xtics nomirror font ',10' ("
                + ", ".join(f'"{in_lines(row[0], ", ")}" {index}' for index, row in enumerate(rows))
                + ")",
                "set key top center horizontal",
                head_room(figure for row in rows for figure in row[1:]), f"set title '{title}'",
                "set style data histogram", "set style histogram clustered gap 1",
                "set style fill solid 0.9 noborder"]
    if rows:
        commands.append("plot " + ", ".join(
            f"$bars using {index + 2} lc rgb '{colours[index % len(colours)]}' title '{name}'"
            for index, name in enumerate(titles)))
    return commands


def script(outcome, works, terminal, path):
    """The commands for gnuplot."""
    sizes = [work.size for work in works["bandwidth"]]
    lines = {name: list(bandwidth_rows(outcome, sizes, series)) for name, series in LINES.items()}
    latency_sizes = [work.size for work in works["latency"]]
    groups = [one
              for one in outcome.series
              if one.measure == "latency" and one.program not in SLEEPERS
              and not one.name.startswith(PORTALS4)
              and all(outcome.of("latency", one.name, size) is not None for size in latency_sizes)]
    rows = [[one.name, *(outcome.of("latency", one.name, size) for size in latency_sizes)]
            for one in groups]
    return "\n".join([*preamble(terminal, path), "set multiplot layout 1,2", "set tics nomirror",
                      *lines_over_size({name: rows for name, rows in lines.items() if rows},
                                       COLOURS, sizes, "Bandwidth, one way, GB/s (more is better)"),
                      *bars(rows, list(map(size_text, latency_sizes)), SHADES,
                            "Latency, half round trip, µs (less is better)"),
                      "unset multiplot"]) + "\n"


def write_pictures(script_for, folder, stem):
    """`script_for(terminal, path)` is what gnuplot is told, for each kind of picture. Returns the
    stem."""
    for ending, terminal in TERMINALS.items():
        with tempfile.NamedTemporaryFile("w", suffix=".gp", encoding="utf-8") as commands:
            commands.write(script_for(terminal, f"{folder}/{stem}.{ending}"))
            commands.flush()
            processes.run(["gnuplot", commands.name])
    return stem


def draw(outcome, works, folder, key):
    """Writes performance-KEY.svg and .png there, and returns their name without the ending."""
    return write_pictures(lambda terminal, path: script(outcome, works, terminal, path), folder,
                          f"performance-{key}")
