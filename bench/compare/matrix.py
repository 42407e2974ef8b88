"""What is measured, read from a file such as matrix.json.

Measures, sizes, amounts of work, and what Lintel is required to reach.
"""

import json
import time
from dataclasses import dataclass

MPI_MEASURES = ("mpi-latency", "mpi-rate", "mpi-bandwidth", "mpi-bibandwidth", "mpi-allreduce",
                "mpi-alltoall", "mpi-depth")
IMPI_MEASURES = ("impi-latency", "impi-bandwidth")  # between two jobs
# more ranks than processors
RANKS_MEASURES = ("ranks-barrier", "ranks-allreduce", "ranks-alltoall", "ranks-incast",
                  "ranks-polled", "ranks-split", "ranks-dup")
MEASURES = ("latency", "rate", "bandwidth", "passive", "fetch", *MPI_MEASURES, *IMPI_MEASURES,
            *RANKS_MEASURES)
# of bench/compare/builds alone: other programs have nothing to hold against it
BUILDS_MEASURES = ("first-contact",)
# of bench/compare/thresholds alone
COLLECTIVE_MEASURES = ("collective-broadcast", "collective-gather", "collective-scatter",
                       "collective-allgather", "collective-alltoall", "collective-reduce",
                       "collective-allreduce", "collective-reduce_scatter")
TITLES = {
    "latency": "Latency, half round trip",
    "rate": "Message rate",
    "bandwidth": "Bandwidth, one way",
    "passive": "From put to acknowledgement, target computing",
    "fetch": "Round trip, one at a time",
    "mpi-latency": "MPI latency, half round trip",
    "mpi-rate": "MPI message rate",
    "mpi-bandwidth": "MPI bandwidth, one way",
    "mpi-bibandwidth": "MPI bandwidth, both ways",
    "mpi-allreduce": "MPI allreduce",
    "mpi-alltoall": "MPI alltoall, to each",
    "mpi-depth": "MPI latency of 8 B behind queues, half round trip",
    "impi-latency": "MPI latency between two jobs, half round trip",
    "impi-bandwidth": "MPI bandwidth between two jobs, one way",
    "ranks-barrier": "MPI barrier, many ranks",
    "ranks-allreduce": "MPI allreduce of 8 B, many ranks",
    "ranks-alltoall": "MPI alltoall of 1 KiB to each, many ranks",
    "ranks-incast": "20 messages of 1 KiB from each rank to one, many ranks",
    "ranks-polled": "20 messages of 1 KiB from each rank to ranks at random, all polling, many "
                    "ranks",
    "ranks-split": "MPI_Comm_split and free, many ranks",
    "ranks-dup": "MPI_Comm_dup and free, many ranks",
}
# The base of multiples; for a measure that is not here: raw. `others`: the best of the other MPIs
# over TCP; `empty`: the same series with empty queues; `tcp`: a TCP connection.
BASES = {"fetch": "get", **{measure: "others" for measure in MPI_MEASURES}, "mpi-depth": "empty",
         **{measure: "tcp" for measure in IMPI_MEASURES},
         **{measure: "others" for measure in RANKS_MEASURES}}
BEST = "best"  # of a requirement: of the series that it names, instead
UNITS = {"latency": "us", "rate": "messages/s", "bandwidth": "MB/s", "passive": "us", "fetch": "us"}
UNITS |= {**{measure: "us" for measure in MPI_MEASURES}, "mpi-rate": "messages/s",
          "mpi-bandwidth": "MB/s", "mpi-bibandwidth": "MB/s"}
UNITS |= {"impi-latency": "us", "impi-bandwidth": "MB/s",
          **{measure: "us" for measure in (*RANKS_MEASURES, *BUILDS_MEASURES,
                                             *COLLECTIVE_MEASURES)}}
LOW_IS_GOOD = {measure: unit == "us" for measure, unit in UNITS.items()}
WINDOWED = ("rate", "bandwidth", "mpi-rate", "mpi-bandwidth", "mpi-bibandwidth", "impi-bandwidth")
RAW_BESIDE_MPI = "raw send"  # the series of raw libfabric among those of MPI
QUICK_SHARE = 10


def base_of(measure):
    return BASES.get(measure, "raw")


@dataclass(frozen=True)
class Work:
    """One run of one program: so many passes over so many messages, after a warm-up. Of a first
    contact each message is for another process, and nothing is warm."""

    size: int  # bytes of a message; behind queues: how long these are; of many ranks: how many
    messages: int = 0
    warm_up: int = 0
    passes: int = 1
    window: int = 1
    seconds: float = 0.0  # passive: how long the target computes
    # in one repeat, of the series that a requirement judges and of their bases; other series have
    # one
    turns: int = 1


@dataclass(frozen=True)
class Requirement:
    measure: str
    size: int
    of: str  # name of the series that is judged
    bound: float
    at_most: bool
    relative: bool  # bound is a multiple of the best base series; else in the unit of the measure
    # where raw libfabric itself is slower than the best base series, this multiple of raw is
    # accepted
    or_times_raw: float | None = None
    # names of series, of which the best is the base here; empty: the measure's base
    best_of: tuple = ()

    def base_text(self):
        return (f"{BEST} of {', '.join(name.removeprefix('Open MPI ') for name in self.best_of)}"
                if self.best_of else base_of(self.measure))

    def text(self):
        bound = (f"{'at most' if self.at_most else 'at least'} {self.bound:g} "
                 f"{'x ' + self.base_text() if self.relative else UNITS[self.measure]}")
        return bound if self.or_times_raw is None else f"{bound} or {self.or_times_raw:g} x raw"


@dataclass(frozen=True)
class Matrix:
    works: dict  # measure -> list of Work
    requirements: list


def repeats_within(most, minutes=None, now=time.monotonic):
    """Yields the numbers of the repeats, from 1 on: `most` of them, or fewer.

    No further one begins if it would not be done within `minutes`, supposing that it takes as long
    as the last. The first is made in any case.
    """
    begin = last = now()
    for repeat in range(1, most + 1):
        yield repeat
        done = now()
        if minutes is not None and done + (done - last) > begin + 60 * minutes:
            return
        last = done


def warm_up_for(messages):
    return max(messages // 10, 10)


def document_of(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def work_of(document, measure, size, share=1):
    """Of any size, with a part of the work: 1 / `share`."""
    entry = document["collective" if measure in COLLECTIVE_MEASURES else measure]
    if measure == "passive":
        return Work(size, seconds=max(entry["seconds"] / share, 0.2))
    messages = messages_of(entry, size) // share
    window = window_of(entry, size, document["window"]) if measure in WINDOWED else 1
    passes = document["passes"] if share == 1 else 1
    return Work(size, messages, warm_up_for(messages), passes, window, turns=entry.get("turns", 1))


def read(path, quick=False):
    document = document_of(path)
    share = QUICK_SHARE if quick else 1
    works = {measure: [work_of(document, measure, size, share)
                       for size in document[measure]["sizes"]]
             for measure in MEASURES}
    return Matrix(works, [
        requirement for entry in document["requirements"] for requirement in requirements_of(entry)
    ])


def window_of(entry, size, window):
    """Messages of a window. Where each has memory of its own, as with MPI, no more than fit into
    `window_bytes`."""
    return max(min(window, entry["window_bytes"] // size), 1) if "window_bytes" in entry else window


def messages_of(entry, size):
    """As many as make `bytes`, or the calls of all ranks together `rank_calls`; not below
    `fewest_messages`, and at most `messages`."""
    most = entry.get("messages")
    total = entry.get("bytes", entry.get("rank_calls"))
    if total is None:
        return most
    messages = max(total // size, entry["fewest_messages"])
    return messages if most is None else min(messages, most)


def requirements_of(entry):
    [key] = [name for name in entry if name.startswith("at_")]
    base = BEST if "best_of" in entry else base_of(entry["measure"])
    relative = key.endswith(f"_times_{base}")
    if not relative and (key not in ("at_most", "at_least") or base == BEST):
        raise ValueError(f"{key} of {entry['measure']}; expected at_most or at_least, alone or "
                         f"with _times_{base}")
    for size in entry["sizes"]:
        for series in entry["of"]:
            yield Requirement(entry["measure"], size, series, entry[key], key.startswith("at_most"),
                              relative, entry.get("or_times_raw"), tuple(entry.get("best_of", ())))


def column_text(measure, size):
    """What a column of the measure's table is for."""
    if measure == "mpi-depth":
        return f"{size:,} deep" if size > 0 else "empty"
    if measure in RANKS_MEASURES:
        return f"{size} ranks"
    return size_text(size)


def size_text(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"
