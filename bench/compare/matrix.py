"""What is measured, read from a file such as matrix.json: measures, sizes, amounts of work, and what Lintel is required to reach."""

import json
from dataclasses import dataclass

MPI_MEASURES = ("mpi-latency", "mpi-rate", "mpi-bandwidth", "mpi-depth")
MEASURES = ("latency", "rate", "bandwidth", "passive", "fetch", *MPI_MEASURES)
TITLES = {
    "latency": "Latency, half round trip",
    "rate": "Message rate",
    "bandwidth": "Bandwidth, one way",
    "passive": "From put to acknowledgement, target computing",
    "fetch": "Round trip, one at a time",
    "mpi-latency": "MPI latency, half round trip",
    "mpi-rate": "MPI message rate",
    "mpi-bandwidth": "MPI bandwidth, one way",
    "mpi-depth": "MPI latency of 8 B behind queues, half round trip",
}
# What figures are multiples of; elsewhere raw. `others`: the best of the other MPIs; `empty`: the same series with empty queues.
BASES = {"fetch": "get", "mpi-latency": "others", "mpi-rate": "others", "mpi-bandwidth": "others", "mpi-depth": "empty"}
UNITS = {"latency": "us", "rate": "messages/s", "bandwidth": "MB/s", "passive": "us", "fetch": "us"}
UNITS |= {"mpi-latency": "us", "mpi-rate": "messages/s", "mpi-bandwidth": "MB/s", "mpi-depth": "us"}
LOW_IS_GOOD = {measure: unit == "us" for measure, unit in UNITS.items()}
RAW_BESIDE_MPI = "raw send"  # the series of raw libfabric among those of MPI
QUICK_SHARE = 10


def base_of(measure):
    return BASES.get(measure, "raw")


@dataclass(frozen=True)
class Work:
    """One run of one program: so many passes over so many messages, after a warm-up."""

    size: int  # bytes of a message; behind queues: how long these are
    messages: int = 0
    warm_up: int = 0
    passes: int = 1
    window: int = 1
    seconds: float = 0.0  # passive: how long the target computes
    turns: int = 1  # in one repeat, of the series that a requirement is about and of what they are held against; others have one


@dataclass(frozen=True)
class Requirement:
    measure: str
    size: int
    of: str  # name of the series that is judged
    bound: float
    at_most: bool
    relative: bool  # bound is a multiple of the best base series; else in the unit of the measure
    or_times_raw: float | None = None  # where raw libfabric is itself behind the best base series: at most so much of raw will do

    def text(self):
        bound = f"{'at most' if self.at_most else 'at least'} {self.bound:g} {'x ' + base_of(self.measure) if self.relative else UNITS[self.measure]}"
        return bound if self.or_times_raw is None else f"{bound} or {self.or_times_raw:g} x raw"


@dataclass(frozen=True)
class Matrix:
    works: dict  # measure -> list of Work
    requirements: list


def warm_up_for(messages):
    return max(messages // 10, 10)


def read(path, quick=False):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    share = QUICK_SHARE if quick else 1
    passes = 1 if quick else document["passes"]
    window = document["window"]

    def work(size, messages, window_of_it, turns=1):
        return Work(size, messages, warm_up_for(messages), passes, window_of_it, turns=turns)

    bandwidth = document["bandwidth"]
    works = {
        "latency": [work(size, document["latency"]["messages"] // share, 1, document["latency"].get("turns", 1)) for size in document["latency"]["sizes"]],
        "rate": [work(size, document["rate"]["messages"] // share, window) for size in document["rate"]["sizes"]],
        "bandwidth": [
            work(size, max(bandwidth["bytes"] // size, bandwidth["fewest_messages"]) // share, window) for size in bandwidth["sizes"]
        ],
        "fetch": [work(size, document["fetch"]["messages"] // share, 1) for size in document["fetch"]["sizes"]],
        **mpi_works(document, work, share, window),
        "passive": [Work(size, seconds=max(document["passive"]["seconds"] / share, 0.2)) for size in document["passive"]["sizes"]],
    }
    return Matrix(works, [requirement for entry in document["requirements"] for requirement in requirements_of(entry)])


def mpi_works(document, work, share, window):
    latency, rate, bandwidth, depth = (document[measure] for measure in MPI_MEASURES)
    return {
        "mpi-latency": [work(size, latency["messages"] // share, 1) for size in latency["sizes"]],
        "mpi-rate": [work(size, rate["messages"] // share, window) for size in rate["sizes"]],
        # Each message of a window has memory of its own.
        "mpi-bandwidth": [
            work(size, max(bandwidth["bytes"] // size, bandwidth["fewest_messages"]) // share, max(min(window, bandwidth["window_bytes"] // size), 1))
            for size in bandwidth["sizes"]
        ],
        "mpi-depth": [work(size, depth["messages"] // share, 1) for size in depth["sizes"]],
    }


def requirements_of(entry):
    [key] = [name for name in entry if name.startswith("at_")]
    relative = key.endswith(f"_times_{base_of(entry['measure'])}")
    if not relative and key not in ("at_most", "at_least"):
        raise ValueError(f"{key} of {entry['measure']}; expected at_most or at_least, alone or with _times_{base_of(entry['measure'])}")
    for size in entry["sizes"]:
        for series in entry["of"]:
            yield Requirement(entry["measure"], size, series, entry[key], key.startswith("at_most"), relative, entry.get("or_times_raw"))


def column_text(measure, size):
    """What a column of the measure's table is for."""
    if measure == "mpi-depth":
        return f"{size:,} deep" if size > 0 else "empty"
    return size_text(size)


def size_text(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"
