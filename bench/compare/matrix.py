"""What is measured, read from a file such as matrix.json: measures, sizes, amounts of work, and what Lintel is required to reach."""

import json
from dataclasses import dataclass

MEASURES = ("latency", "rate", "bandwidth", "passive", "fetch")
TITLES = {
    "latency": "Latency, half round trip",
    "rate": "Message rate",
    "bandwidth": "Bandwidth, one way",
    "passive": "From put to acknowledgement, target computing",
    "fetch": "Round trip, one at a time",
}
BASES = {"fetch": "get"}  # what figures are multiples of; elsewhere raw
UNITS = {"latency": "us", "rate": "messages/s", "bandwidth": "MB/s", "passive": "us", "fetch": "us"}
LOW_IS_GOOD = {"latency": True, "rate": False, "bandwidth": False, "passive": True, "fetch": True}
QUICK_SHARE = 10


def base_of(measure):
    return BASES.get(measure, "raw")


@dataclass(frozen=True)
class Work:
    """One run of one program: so many passes over so many messages, after a warm-up."""

    size: int  # bytes of a message
    messages: int = 0
    warm_up: int = 0
    passes: int = 1
    window: int = 1
    seconds: float = 0.0  # passive: how long the target computes


@dataclass(frozen=True)
class Requirement:
    measure: str
    size: int
    of: str  # name of the series that is judged
    bound: float
    at_most: bool
    relative: bool  # bound is a multiple of the best base series; else in the unit of the measure

    def text(self):
        return f"{'at most' if self.at_most else 'at least'} {self.bound:g} {'x ' + base_of(self.measure) if self.relative else UNITS[self.measure]}"


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

    def work(size, messages, window_of_it):
        return Work(size, messages, warm_up_for(messages), passes, window_of_it)

    bandwidth = document["bandwidth"]
    works = {
        "latency": [work(size, document["latency"]["messages"] // share, 1) for size in document["latency"]["sizes"]],
        "rate": [work(size, document["rate"]["messages"] // share, window) for size in document["rate"]["sizes"]],
        "bandwidth": [
            work(size, max(bandwidth["bytes"] // size, bandwidth["fewest_messages"]) // share, window) for size in bandwidth["sizes"]
        ],
        "fetch": [work(size, document["fetch"]["messages"] // share, 1) for size in document["fetch"]["sizes"]],
        "passive": [Work(size, seconds=max(document["passive"]["seconds"] / share, 0.2)) for size in document["passive"]["sizes"]],
    }
    return Matrix(works, [requirement for entry in document["requirements"] for requirement in requirements_of(entry)])


def requirements_of(entry):
    [key] = [name for name in entry if name.startswith("at_")]
    relative = key.endswith(f"_times_{base_of(entry['measure'])}")
    if not relative and key not in ("at_most", "at_least"):
        raise ValueError(f"{key} of {entry['measure']}; expected at_most or at_least, alone or with _times_{base_of(entry['measure'])}")
    for size in entry["sizes"]:
        for series in entry["of"]:
            yield Requirement(entry["measure"], size, series, entry[key], key.startswith("at_most"), relative)


def size_text(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"
