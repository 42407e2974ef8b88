"""The outcome as a picture, drawn by gnuplot: bandwidth over size on the left, latency on the right."""

import tempfile

import processes
from contestants import PORTALS4
from matrix import size_text

TERMINALS = {
    "svg": "svg size 1100,420 noenhanced font 'sans-serif,13' background rgb 'white'",
    "png": "pngcairo size 1100,420 noenhanced font 'sans-serif,11'",
}
# Of bandwidth: name in the picture -> name of the series, None: the best raw one.
LINES = {"raw libfabric, best": None, "Lintel put": "Lintel put", "Lintel get": "Lintel get", "UCX tag": "UCX tag"}
COLOURS = ["#555555", "#d95f02", "#1b9e77", "#7570b3"]
SHADES = ["#9ecae1", "#3182bd", "#08519c"]
SLEEPERS = ("NPtcp",)  # a program that sleeps in the kernel would hide the differences among those that poll


def rows_text(rows):
    return "\n".join(" ".join(f'"{cell}"' if isinstance(cell, str) else f"{cell:g}" for cell in row) for row in rows)


def bandwidth_rows(outcome, sizes, series):
    for size in sizes:
        raw = outcome.best_base("bandwidth", size)
        figure = outcome.of("bandwidth", series, size) if series else raw[1] if raw else None
        if figure is not None:
            yield [size, figure / 1000]


def head_room(figures):
    """From 0 to so far above the largest that the key has a place of its own."""
    return f"set yrange [0:{1.25 * max(figures, default=1):g}]"


def script(outcome, works, terminal, path):
    """The commands for gnuplot."""
    sizes = [work.size for work in works["bandwidth"]]
    lines = {name: list(bandwidth_rows(outcome, sizes, series)) for name, series in LINES.items()}
    lines = {name: rows for name, rows in lines.items() if rows}
    latency_sizes = [work.size for work in works["latency"]]
    bars = [one for one in outcome.series if one.measure == "latency" and one.program not in SLEEPERS and not one.name.startswith(PORTALS4)
            and all(outcome.of("latency", one.name, size) is not None for size in latency_sizes)]
    bar_rows = [[one.name, *(outcome.of("latency", one.name, size) for size in latency_sizes)] for one in bars]
    commands = [f"set terminal {terminal}", f"set output '{path}'", "set encoding utf8", "set grid ytics lt 1 lw 1 lc rgb '#dddddd'", "set border 3"]
    for index, rows in enumerate(lines.values()):
        commands.append(f"$line{index} << EOD\n{rows_text(rows)}\nEOD")
    commands.append(f"$bars << EOD\n{rows_text(bar_rows)}\nEOD")
    commands += ["set multiplot layout 1,2", "set tics nomirror", head_room(row[1] for rows in lines.values() for row in rows),
                 "set title 'Bandwidth, one way, GB/s (more is better)'", "set logscale x 2", "set key top center horizontal",
                 "set xtics (" + ", ".join(f'"{size_text(size)}" {size}' for size in sizes) + ")",
                 f"set xrange [{sizes[0] / 1.3:g}:{sizes[-1] * 1.3:g}]"]
    if lines:
        commands.append("plot " + ", ".join(
            f"$line{index} using 1:2 with linespoints lw 2 pt 7 ps 0.6 lc rgb '{COLOURS[list(LINES).index(name)]}' title '{name}'"
            for index, name in enumerate(lines)))
    commands += ["unset logscale x", "unset xtics", "set xtics nomirror", "set xrange [*:*]", "set key top center horizontal",
                 head_room(figure for row in bar_rows for figure in row[1:]),
                 "set title 'Latency, half round trip, µs (less is better)'",
                 "set style data histogram", "set style histogram clustered gap 1", "set style fill solid 0.9 noborder"]
    if bar_rows:
        commands.append("plot " + ", ".join(
            f"$bars using {index + 2}:xtic(1) lc rgb '{SHADES[index % len(SHADES)]}' title '{size_text(size)}'"
            for index, size in enumerate(latency_sizes)))
    commands.append("unset multiplot")
    return "\n".join(commands) + "\n"


def draw(outcome, works, folder):
    """Writes performance.svg and performance.png there."""
    for ending, terminal in TERMINALS.items():
        with tempfile.NamedTemporaryFile("w", suffix=".gp", encoding="utf-8") as commands:
            commands.write(script(outcome, works, terminal, f"{folder}/performance.{ending}"))
            commands.flush()
            processes.run(["gnuplot", commands.name])
