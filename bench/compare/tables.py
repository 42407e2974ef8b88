"""The outcome as plain text for a terminal, as Markdown for README.md and doc/performance.md, and
as JSON for programs."""

import re
import textwrap

from contestants import PORTALS4, runs_over_tcp
from matrix import LOW_IS_GOOD, MEASURES, TITLES, UNITS, base_of, column_text, size_text

NUMBERS = "numbers"  # what the markers of its blocks are called
BASE_TEXTS = {"raw": "best raw figure", "get": "get", "others": "best of the other MPIs over TCP",
              "empty": "same with empty queues", "tcp": "better TCP connection"}


def figure_text(measure, figure):
    if figure is None:
        return "-"
    return f"{figure:.2f}" if UNITS[measure] == "us" else f"{figure:,.0f}"


def ratio_text(ratio):
    return "-" if ratio is None else f"{ratio:.2f}"


def title_of(measure):
    return (f"{TITLES[measure]}, {UNITS[measure]} ({'less' if LOW_IS_GOOD[measure] else 'more'} is "
            "better)")


def taking_part(outcome, measure):
    return [one
            for one in outcome.series
            if one.measure == measure and one.program not in outcome.absent]


def spread_text(outcome, measure, sizes):
    spreads = [(outcome.spread(measure, one.name, size), one.name, size)
               for one in taking_part(outcome, measure)
               for size in sizes
               if outcome.of(measure, one.name, size) is not None]
    if not spreads:
        return "Nothing measured"
    widest, name, size = max(spreads)
    return (f"Widest spread of the repeats: {widest:.0%} of the median ({name}, "
            f"{column_text(measure, size)})")


def has_base(outcome, measure):
    return base_of(measure) == "empty" or any(one.is_base for one in taking_part(outcome, measure))


# --- plain text

NAME = 24  # columns of a series' name, at least

def text_of(outcome, works, verdicts):
    parts = [table_text(outcome, measure, [work.size for work in works[measure]])
             for measure in MEASURES
             if works.get(measure)]
    return "\n".join([*parts, verdicts_text(verdicts), notes_text(outcome)])


def table_text(outcome, measure, sizes):
    based = has_base(outcome, measure)
    base = f"x {base_of(measure)}" if based else ""
    width = max(len(base) + 2, 7)
    name_width = max([NAME, *(len(one.name) + 1 for one in taking_part(outcome, measure))])
    lines = [f"# {title_of(measure)}"]
    header = "".join(f"{column_text(measure, size):>12}{base:>{width}}" for size in sizes)
    lines.append(f"{'#':<{name_width}}{header}".rstrip())
    for one in taking_part(outcome, measure):
        cells = "".join(
            f"{figure_text(measure, outcome.of(measure, one.name, size)):>12}"
            f"{ratio_text(outcome.times_base(measure, one.name, size)) if based else '':>{width}}"
            for size in sizes)
        lines.append(
            f"{one.name:<{name_width}}{cells}{'  ' + one.note if one.note else ''}".rstrip())
    lines.append(f"# {spread_text(outcome, measure, sizes)}")
    return "\n".join(lines) + "\n"


def verdict_text(verdict):
    required = verdict.requirement
    what = f"{required.measure}, {column_text(required.measure, required.size)}, {required.of}"
    return f"{what:<57} {verdict.reached_text():>16}   {required.text():<22} {verdict.text()}"


def verdicts_text(verdicts):
    return "\n".join(["# Required of Lintel", *map(verdict_text, verdicts)]) + "\n"


def notes_text(outcome):
    lines = [f"# absent: {program}: {why}" for program, why in outcome.absent.items()]
    lines += [f"# failed: {measure}, {column_text(measure, size)}, {name}: {text}"
              for (measure, name, size), text in outcome.failures.items()]
    return "".join(line + "\n" for line in lines)


def cost_text(cost):
    return (f"{cost.what:<82}{cost.text():>9}   "
            f"{cost.required():<20}{'met' if cost.met() else 'missed'}")


def costs_text(costs):
    """Of limits.Cost. Nothing if there are none."""
    return "\n".join(["\n# Inside one process, processor time, required of Lintel",
                      *map(cost_text, costs)]) + "\n" if costs else ""


# --- Markdown

MICRO = "µs"
COLUMNS = 120  # of prose in a document; package.columns holds it
HEADLINES = (("latency", 8), ("rate", 8), ("bandwidth", 1 << 20))  # what README.md shows

def paragraph(text, indent=""):
    """Prose in lines of at most COLUMNS; `indent` begins every line but the first."""
    return textwrap.fill(text, COLUMNS, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def markdown_table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| --- |" + " ---: |" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def conditions(facts, provider, lintel_provider, repeats, cpus, mpi=False, pinned=True):
    path = f", {facts['network']}" if runs_over_tcp(provider) else ""
    lintel = f", Lintel over `{lintel_provider}`" if lintel_provider != provider else ""
    peers = f", Open MPI {facts['openmpi']}, MPICH {facts['mpich']}" if mpi else ""
    placement = (
        "two processes, pinned alike in every program (sched_setaffinity before it begins, "
        "launchers bind nothing): one to processor "
        f"{cpus[0]}, one to {cpus[1]}"
        if pinned else f"all ranks on processors {cpus[0]} and {cpus[1]}, none with one of its own")
    return (f"**{facts['release']}.** {facts['cpu']}, {facts['processors']} processors, "
            f"{facts['kernel']}{path}; libfabric {facts['libfabric']}, "
            f"provider `{provider}`{lintel}, UCX {facts['ucx']}{peers}; {placement}; median of "
            f"{repeats} interleaved {'repeat' if repeats == 1 else 'repeats'}.")


def with_ratio(outcome, measure, name, size):
    figure, ratio = outcome.of(measure, name, size), outcome.times_base(measure, name, size)
    return figure_text(measure, figure) + ("" if ratio is None else f" ({ratio:.2f})")


def best_of_others(outcome, measure, size):
    """The better of the UCX series."""
    figures = [outcome.of(measure, one.name, size)
               for one in taking_part(outcome, measure)
               if one.name.startswith("UCX")]
    figures = [figure for figure in figures if figure is not None]
    return None if not figures else (min if LOW_IS_GOOD[measure] else max)(figures)


def judged(verdicts, measure, size, api=""):
    """What is required at this size of the series through this API, and whether each reaches it."""
    return judged_text([
        one for one in verdicts if (one.requirement.measure, one.requirement.size) ==
        (measure, size) and one.requirement.of.startswith(PORTALS4) == (api == PORTALS4)
    ], api or "Lintel")


def judged_text(mine, prefix=""):
    if not mine:
        return ["", ""]
    bound = " and ".join(dict.fromkeys(one.requirement.text().replace(" us", f" {MICRO}")
                                       for one in mine))
    if all(one.met for one in mine):
        return [bound, "met"]
    return [bound,
            ", ".join(f"{one.requirement.of.removeprefix(prefix).strip()} {one.text()}"
                      for one in mine
                      if not one.met)]


def joined_text(bound_and_verdict):
    """What judged_text() says, in one cell."""
    return ": ".join(filter(None, (part.strip() for part in bound_and_verdict)))


def how_many_met(judged):
    """Of all verdicts and costs, not only of those that a table shows."""
    return f"{sum(judged)} of {len(judged)} met"


def headline_markdown(outcome, verdicts, costs, facts):
    """Three rows for README.md. The last heading says how many of all requirements are met."""
    rows = []
    for measure, size in HEADLINES:
        raw = outcome.best_base(measure, size)
        rows.append([f"{TITLES[measure]}, {size_text(size)}, {UNITS[measure].replace('us', MICRO)}",
                     with_ratio(outcome, measure, "Lintel put", size),
                     figure_text(measure, None if raw is None else raw[1]),
                     figure_text(measure, best_of_others(outcome, measure, size)),
                     joined_text(judged(verdicts, measure, size))])
    met = [one.met for one in verdicts] + [cost.met() for cost in costs]
    return markdown_table([f"{facts['release']}, {facts['network']}", "Lintel put (x raw)",
                           "raw libfabric", "UCX", f"required: {how_many_met(met)}"], rows)


def summary_markdown(outcome, works, verdicts):
    """One row for each measure and size: raw, Lintel with its multiple of raw, UCX, what is
    required."""
    rows = []
    for measure in MEASURES:
        if base_of(measure) != "raw" or measure not in works:
            continue
        for work in works[measure]:
            raw = outcome.best_base(measure, work.size)
            has_get = any(
                one.measure == measure and one.name == "Lintel get" for one in outcome.series)
            rows.append(
                [
                    f"{TITLES[measure]}, {size_text(work.size)}, "
                    f"{UNITS[measure].replace('us', MICRO)}",
                    "" if raw is None else f"{figure_text(measure, raw[1])} ({raw[0].split()[-1]})",
                    with_ratio(outcome, measure, "Lintel put", work.size),
                    with_ratio(outcome, measure, "Lintel get", work.size) if has_get else "",
                    ""
                    if measure == "passive"
                    else figure_text(measure, best_of_others(outcome, measure, work.size)),
                    *judged(verdicts, measure, work.size)])
    return markdown_table([
        "", "raw libfabric", "Lintel put (x raw)", "Lintel get (x raw)", "UCX", "required", ""
    ], rows)


def portals4_markdown(outcome, works, verdicts):
    """The same through Portals 4, with events and with counters; and what a fetch-atomic costs
    beside a get."""
    rows = []
    for measure in ("latency", "rate", "bandwidth", "passive"):
        names = [one.name for one in outcome.series if one.measure == measure]
        for work in works[measure]:
            raw = outcome.best_base(measure, work.size)
            cells = [f"{PORTALS4} {operation}, {notify}"
                     for operation in ("put", "get")
                     for notify in ("events", "counters")]
            rows.append([f"{TITLES[measure]}, {size_text(work.size)}, "
                         f"{UNITS[measure].replace('us', MICRO)}",
                         "" if raw is None else figure_text(measure, raw[1]),
                         *(with_ratio(outcome, measure, name, work.size)
                           if name in names else ""
                           for name in cells),
                         *judged(verdicts, measure, work.size, PORTALS4)])
    table = markdown_table([
        "Through Portals 4", "raw libfabric", "put, events (x raw)", "put, counters (x raw)",
        "get, events (x raw)", "get, counters (x raw)", "required", ""
    ], rows)
    fetches = [f"Fetch-atomic of {size_text(work.size)}: "
               f"{with_ratio(outcome, 'fetch', f'{PORTALS4} fetch-atomic', work.size)} {MICRO} "
               f"(x get), {' '.join(judged(verdicts, 'fetch', work.size, PORTALS4)).strip()}."
               for work in works["fetch"]]
    return table + "\n" + " ".join(fetches) + "\n"


def costs_markdown(costs):
    return markdown_table(["Inside one process, processor time", "", "required", ""],
                          [[cost.what, cost.text(), cost.required(),
                            "met" if cost.met() else "missed"]
                           for cost in costs])


def full_markdown(outcome, works, measures):
    parts = []
    for measure in measures:
        sizes = [work.size for work in works[measure]]
        rows = [[one.name + (f" ({one.note})" if one.note else ""),
                 *(with_ratio(outcome, measure, one.name, size) for size in sizes)]
                for one in taking_part(outcome, measure)]
        parts += [f"**{title_of(measure).replace(' us ', f' {MICRO} ')}**\n",
                  markdown_table(["", *(column_text(measure, size) for size in sizes)], rows),
                  paragraph(f"In brackets: multiple of the {BASE_TEXTS[base_of(measure)]}. "
                            f"{spread_text(outcome, measure, sizes)}.") + "\n"
                  if has_base(outcome, measure) else ""]
    programs = {one.program for one in outcome.series if one.measure in measures}
    absent = [f"`{program}` is absent: {why}."
              for program, why in outcome.absent.items()
              if program in programs]
    failed = [f"{name} failed at {column_text(measure, size)} ({measure})."
              for measure, name, size in outcome.failures
              if measure in measures]
    return "\n".join(part for part in [*parts, paragraph(" ".join(absent + failed))] if part)


def markers(family, key):
    """Around what was measured on one release, as debian-12, in a document that has others beside
    it."""
    return f"<!-- {family}:begin {key} -->", f"<!-- {family}:end {key} -->"


def replace_block(text, block, family, key):
    """The text with `block` between the markers of this key.

    Where the text has no such markers, the block comes behind the last block of the family. Other
    blocks stay as they are. Raises ValueError where there is no place for the block.
    """
    begin, end = markers(family, key)
    whole = f"{begin}\n{block.strip()}\n{end}"
    if begin not in text and end not in text:
        ends = list(re.finditer(rf"^<!-- {family}:end [\w.-]+ -->$", text, re.MULTILINE))
        if not ends:
            raise ValueError(f"expected {begin} and then {end}, or such a pair of another release "
                             "to write this one behind")
        return f"{text[:ends[-1].end()]}\n\n{whole}{text[ends[-1].end():]}"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"expected one {begin} and then one {end}")
    return text[:text.index(begin)] + whole + text[text.index(end) + len(end):]


# --- JSON

def document_of(outcome, verdicts, costs, settings, facts):
    results = []
    for one in outcome.series:
        for (measure, name, size), values in outcome.figures.items():
            if (measure, name) == (one.measure, one.name):
                results.append({"measure": measure, "series": name, "program": one.program,
                                "size_bytes": size, "unit": UNITS[measure],
                                "median": outcome.of(measure, name, size),
                                f"times_{base_of(measure)}": outcome.times_base(
                                    measure, name, size),
                                "repeats": values})
    return {"program": "bench/compare", "host": facts, "settings": settings,
            "absent": outcome.absent,
            "failed": [{"measure": measure, "series": name, "size_bytes": size, "error": text}
                       for (measure, name, size), text in outcome.failures.items()],
            "results": results,
            "requirements": [{"measure": one.requirement.measure, "series": one.requirement.of,
                              "size_bytes": one.requirement.size,
                              "required": one.requirement.text(), "reached": one.reached,
                              "times_slower_raw": one.times_raw, "verdict": one.text()}
                             for one in verdicts],
            "in_process": [{"cost": one.what, "figure": one.figure, "unit": one.unit,
                            "required": one.required(), "met": one.met()}
                           for one in costs]}
