"""What came out of a run.

Figures by series and size, what could not be measured, and whether Lintel does what is required.
"""

from dataclasses import dataclass, field
from statistics import median

from matrix import LOW_IS_GOOD, RAW_BESIDE_MPI, UNITS, base_of


@dataclass
class Outcome:
    series: list  # of contestants.Series, in the order of the tables
    figures: dict = field(default_factory=dict)  # (measure, name, size) -> one figure a turn
    failures: dict = field(default_factory=dict)  # (measure, name, size) -> what was said
    absent: dict = field(default_factory=dict)  # program -> why

    def add(self, measure, name, size, figure):
        self.figures.setdefault((measure, name, size), []).append(figure)

    def fail(self, measure, name, size, text):
        self.failures[measure, name, size] = text

    def of(self, measure, name, size):
        """The median of the turns, or None where there is no figure. A series that failed once
        counts as failed."""
        key = (measure, name, size)
        if key in self.failures or not self.figures.get(key):
            return None
        return median(self.figures[key])

    def spread(self, measure, name, size):
        """(largest - smallest) / median of the repeats."""
        values = self.figures[measure, name, size]
        return (max(values) - min(values)) / median(values)

    def best_base(self, measure, size, best_of=()):
        """(name, figure) of the best base series, or None: the best of `best_of` if it has any,
        else of raw libfabric or what base_of() says."""
        series = [one.name
                  for one in self.series
                  if one.measure == measure and (one.name in best_of if best_of else one.is_base)]
        measured = [(name, self.of(measure, name, size)) for name in series]
        measured = [(name, figure) for name, figure in measured if figure is not None]
        if not measured:
            return None
        choose = min if LOW_IS_GOOD[measure] else max
        return choose(measured, key=lambda entry: entry[1])

    def ratio(self, measure, name, size, base, base_size):
        """The median of the ratios of the turns. A noisy host drifts from turn to turn, and both
        figures of one turn meet the same noise."""
        if self.of(measure, name, size) is None or self.of(measure, base, base_size) is None:
            return None
        return median(figure / other
                      for figure, other in zip(self.figures[measure, name, size],
                                               self.figures[measure, base, base_size]))

    def times_base(self, measure, name, size, best_of=()):
        if base_of(measure) == "empty" and not best_of:
            return self.ratio(measure, name, size, name, 0)
        best = self.best_base(measure, size, best_of)
        return None if best is None else self.ratio(measure, name, size, best[0], size)

    def times_slower_raw(self, measure, name, size):
        """The multiple of raw libfabric where that is itself behind the best base series, else
        None."""
        raw, best = self.of(measure, RAW_BESIDE_MPI, size), self.best_base(measure, size)
        return (self.ratio(measure, name, size, RAW_BESIDE_MPI, size)
                if raw is not None and best is not None and raw > best[1] else None)


@dataclass(frozen=True)
class Verdict:
    requirement: object
    reached: float | None  # in what the bound is given in; None: not measured
    times_raw: float | None = None  # where raw is what it may be held against too

    @property
    def met(self):
        if self.reached is None:
            return False
        if self.times_raw is not None and self.times_raw <= self.requirement.or_times_raw:
            return True
        return (self.reached <= self.requirement.bound
                if self.requirement.at_most else self.reached >= self.requirement.bound)

    def text(self):
        if self.reached is None:
            return "not measured"
        return "met" if self.met else "missed"

    def reached_text(self):
        if self.reached is None:
            return "-"
        text = (f"{self.reached:.3f} x {self.requirement.base_text()}"
                if self.requirement.relative
                else f"{self.reached:.1f} {UNITS[self.requirement.measure]}")
        return text if self.times_raw is None else f"{text}, {self.times_raw:.3f} x raw"


def judge(outcome, requirements):
    return [
        Verdict(
            one,
            outcome.times_base(one.measure, one.of, one.size, one.best_of)
            if one.relative else outcome.of(one.measure, one.of, one.size),
            None if one.or_times_raw is None else outcome.times_slower_raw(
                one.measure, one.of, one.size)) for one in requirements
    ]
