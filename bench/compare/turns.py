"""Two setups turn by turn: how many times as long one takes as the other."""

from statistics import median

import matrix


def times(measure, before, after):
    """How many times as long `after` takes."""
    return after / before if matrix.LOW_IS_GOOD[measure] else before / after


def turn(setups, one, work, first):
    """Both figures, or RunFailed."""
    figures = [0.0, 0.0]
    for which in (first, 1 - first):
        figures[which] = one.figure(setups[which], work)
    return figures


def measured(setups, one, work, turns):
    """The median of the turns' ratios, its quartiles, and both medians. The first to go changes
    from turn to turn."""
    figures = [turn(setups, one, work, number % 2) for number in range(turns)]
    ratios = sorted(times(one.measure, *pair) for pair in figures)
    before, after = (median(column) for column in zip(*figures))
    return median(ratios), ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4], before, after
