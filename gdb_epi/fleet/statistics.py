# SPDX-License-Identifier: Apache-2.0
"""The tests behind the questions; pure functions over counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TRIM = 0.02  # of the hosts with the most crashes: they may be the bad ones we look for
MIN_ALPHA = 0.05
P_FLOOR = 1e-300
MAX_TABLE = 16_000_000  # cells that are counted in a table
MAX_EXACT = 2_000  # events of an exact Poisson-binomial


def cells(a: Ints, b: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the distinct pairs of two columns of codes (0 and up) as columns, and their counts.

    numpy's unique over rows takes seconds at a million; counting takes milliseconds.
    """
    if not a.size:
        return a, b, a
    width = int(b.max()) + 1
    code = a * width + b
    size = (int(a.max()) + 1) * width
    if size <= MAX_TABLE:
        table = np.bincount(code, minlength=size)
        found = np.flatnonzero(table)
        counts = table[found]
    else:
        found, counts = np.unique(code, return_counts=True)
    return found // width, found % width, counts


def benjamini_hochberg(p: Floats) -> Floats:
    """Return the q value of each p value (Benjamini and Hochberg 1995)."""
    if not p.size:
        return p
    return np.asarray(stats.false_discovery_control(np.clip(p, 0.0, 1.0), method="bh"))


def q_values(p: Floats, tested: int) -> Floats:
    """Benjamini-Hochberg over `tested` tests, of which those not given had nothing to show."""
    padded = np.ones(max(tested, p.size))
    padded[: p.size] = p
    return benjamini_hochberg(padded)[: p.size]


def binomial_tail(count: Floats, total: Floats, share: Floats) -> Floats:
    """P(at least `count` of `total`) when each falls here with probability `share`."""
    return np.asarray(stats.binom.sf(count - 1, total, np.clip(share, 0.0, 1.0)))


def poisson_binomial_tail(count: int, chances: Floats) -> float:
    """P(at least `count`) of events with a chance each; exact up to MAX_EXACT, then normal."""
    if chances.size > MAX_EXACT:
        mean, variance = chances.sum(), (chances * (1 - chances)).sum()
        return float(stats.norm.sf((count - 0.5 - mean) / np.sqrt(max(variance, 1e-12))))
    tail = np.zeros(chances.size + 1)
    tail[0] = 1.0
    for number, chance in enumerate(chances, 1):
        tail[1 : number + 1] = tail[1 : number + 1] * (1 - chance) + tail[:number] * chance
        tail[0] *= 1 - chance
    return float(min(1.0, tail[max(count, 0) :].sum()))


def hypergeometric_tail(a: Floats, everything: Floats, marked: Floats, drawn: Floats) -> Floats:
    """Fisher's exact test, one-sided: at least `a` marked among `drawn` of `everything`."""
    return np.asarray(stats.hypergeom.sf(a - 1, everything, marked, drawn))


def negative_binomial_tail(count: Floats, mean: Floats, variance: Floats) -> Floats:
    """P(at least `count`) for counts with this mean and variance; Poisson where they are equal."""
    mean = np.maximum(mean, 1e-12)
    spread = np.maximum(variance - mean, 1e-9 * mean)
    size = mean**2 / spread
    return np.asarray(stats.nbinom.sf(count - 1, size, size / (size + mean)))


def dispersion(counts: Floats, expected: Floats) -> float:
    """Return alpha of the variance mu + alpha mu^2, by trimmed moments.

    The hosts with the most crashes in excess are left out: a bad host must not excuse itself.
    """
    known = expected > 0
    counts, expected = counts[known], expected[known]
    if counts.size < 10:
        return MIN_ALPHA
    excess = (counts - expected) / np.sqrt(expected + 0.5)
    keep = np.argsort(excess)[: max(int(counts.size * (1 - TRIM)), 1)]
    counts, expected = counts[keep], expected[keep]
    scale = counts.sum() / max(expected.sum(), 1e-12)
    mean = expected * scale
    moment = ((counts - mean) ** 2 - mean).sum() / max((mean**2).sum(), 1e-12)
    return float(max(moment, MIN_ALPHA))


def combine(*p: Floats) -> Floats:
    """Fisher's combination of independent p values."""
    statistic = -2.0 * sum(np.log(np.maximum(values, P_FLOOR)) for values in p)
    return np.asarray(stats.chi2.sf(statistic, 2 * len(p)))


def relative_risk(a: float, exposed: float, b: float, others: float) -> tuple[float, float, float]:
    """Return the rate ratio (a / exposed) : (b / others) and its 95 % interval.

    Half an event is added to each side, so that a zero gives a wide interval, not none.
    """
    if exposed <= 0 or others <= 0:
        return float("nan"), 0.0, float("inf")
    ratio = ((a + 0.5) / exposed) / ((b + 0.5) / others)
    half = 1.959964 * float(np.sqrt(1 / (a + 0.5) + 1 / (b + 0.5)))
    return ratio, ratio * float(np.exp(-half)), ratio * float(np.exp(half))
