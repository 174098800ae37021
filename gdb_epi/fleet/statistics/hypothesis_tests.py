# SPDX-License-Identifier: Apache-2.0
"""The tests behind the questions; pure functions over counts.

Tails come from the special functions that define them: importing scipy.stats takes longer than most
questions do. The test suite holds them against scipy.stats.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gdb_epi.fleet.statistics import special

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

TRIM = 0.02  # of the hosts with the most crashes: they may be the bad ones we look for
MIN_ALPHA = 0.05
ALPHAS = tuple(0.02 * 1.3**step for step in range(26))  # to 14
MAX_ERROR = 1.0  # of alpha: from very few crashes
MAX_MEAN = 100.0  # crashes of a host, from which on only how hosts differ matters
ABSENT = -1
MAX_TABLE = 16_000_000  # cells that are counted in a table
MIN_TABLE, MAX_EMPTY = 65_536, 64  # cells of any table, and for each thing that is counted
MAX_EXACT = 2_000  # events of an exact Poisson-binomial
MIN_BLOCK, MAX_BLOCK = 4, 1 << 16  # terms of a sum at a time; most are short, some have thousands


def cells(a: Ints, b: Ints, weights: Ints | None = None) -> tuple[Ints, Ints, Ints]:
    """Return the distinct pairs of two columns of codes (0 and up) as columns, and their counts.

    With weights a row counts as often as its weight says (1 and up).
    numpy's unique over rows takes seconds at a million; counting takes milliseconds.
    """
    if not a.size:
        return a, b, a
    width = int(b.max()) + 1
    code = a * width + b
    size = (int(a.max()) + 1) * width
    if _countable(code, size):
        table = _counts(code, weights, size)
        found = np.flatnonzero(table)
        counts = table[found]
    else:
        found, number = np.unique(code, return_inverse=True)
        counts = _counts(number.ravel(), weights, found.size)
    return found // width, found % width, counts


def _counts(codes: Ints, weights: Ints | None, size: int) -> Ints:
    # Sums of whole numbers are exact in floating point up to 2^53.
    return np.bincount(codes, weights=weights, minlength=size).astype(np.int64)


def sums(codes: Ints, weights: Ints | Floats, size: int) -> Floats:
    """Return the sum of the weights of each code below `size` (and beyond, where there are any)."""
    return np.asarray(np.bincount(codes, weights=weights, minlength=size), dtype=np.float64)


def distinct_rows(columns: Sequence[Ints]) -> tuple[Ints, Ints, Ints]:
    """Number the distinct rows of columns of codes (-1 and up) in the order of their values.

    Return where one row of each number is, the number of every row, and how many rows have it.
    numpy's unique over rows sorts them as texts, which takes fifty times as long.
    """
    number, size = np.zeros(columns[0].size, dtype=np.int64), 1
    for column in columns:
        width = int(column.max(initial=ABSENT)) + 2
        if size * width > MAX_TABLE:
            number, size = _compact(number, size)
        number, size = number * width + column + 1, size * width
    number, size = _compact(number, size)
    where = np.zeros(size, dtype=np.int64)
    where[number] = np.arange(number.size)
    return where, number, np.bincount(number, minlength=size)


def _compact(codes: Ints, size: int) -> tuple[Ints, int]:
    """Number the codes (of 0 to `size` - 1) that occur in their order, and say how many do."""
    if not _countable(codes, size):
        found, number = np.unique(codes, return_inverse=True)
        return number.ravel(), found.size
    occurs = np.bincount(codes, minlength=size) > 0
    rank = np.cumsum(occurs) - 1
    return rank[codes], int(occurs.sum())


def distinct(codes: Ints) -> int:
    """Return how many different codes (0 and up) there are."""
    if not _countable(codes, int(codes.max(initial=0)) + 1):
        return int(np.unique(codes).size)
    return int(np.count_nonzero(np.bincount(codes)))


def _countable(codes: Ints, size: int) -> bool:
    """Whether a table of all codes below `size` is worth its memory; else they are sorted."""
    return size <= min(MAX_TABLE, MIN_TABLE + MAX_EMPTY * codes.size)


def benjamini_hochberg(p: Floats) -> Floats:
    """Return the q value of each p value (Benjamini and Hochberg 1995)."""
    return q_values(p, p.size)


def q_values(p: Floats, tested: int) -> Floats:
    """Benjamini-Hochberg over `tested` tests, of which those not given had nothing to show."""
    if not p.size:
        return p
    order = np.argsort(p)
    ranked = np.clip(p[order], 0.0, 1.0) * max(tested, p.size) / np.arange(1, p.size + 1)
    q = np.empty(p.size)
    q[order] = np.minimum(np.minimum.accumulate(ranked[::-1])[::-1], 1.0)
    return q


def binomial_tail(count: Floats, total: Floats, share: Floats) -> Floats:
    """P(at least `count` of `total`) when each falls here with probability `share`."""
    inside = (count >= 1) & (count <= total)
    k = np.where(inside, count, 1.0)
    tail = special.betainc(k, np.where(inside, total - count + 1, 1.0), np.clip(share, 0.0, 1.0))
    return np.where(inside, tail, np.where(count < 1, 1.0, 0.0))


def poisson_binomial_tail(count: int, chances: Floats) -> float:
    """P(at least `count`) of events with a chance each; exact up to MAX_EXACT, then normal."""
    if chances.size > MAX_EXACT:
        mean, variance = chances.sum(), (chances * (1 - chances)).sum()
        return float(special.ndtr(-(count - 0.5 - mean) / np.sqrt(max(variance, 1e-12))))
    tail = np.zeros(chances.size + 1)
    tail[0] = 1.0
    for number, chance in enumerate(chances, 1):
        tail[1 : number + 1] = tail[1 : number + 1] * (1 - chance) + tail[:number] * chance
        tail[0] *= 1 - chance
    return float(min(1.0, tail[max(count, 0) :].sum()))


def hypergeometric_tail(a: Floats, everything: Floats, marked: Floats, drawn: Floats) -> Floats:
    """Fisher's exact test, one-sided: at least `a` marked among `drawn` of `everything`.

    The terms of the shorter tail are summed from its largest one on.
    """
    a, everything, marked, drawn = (x.astype(float) for x in (a, everything, marked, drawn))
    low = np.maximum(0.0, drawn + marked - everything)
    high = np.minimum(drawn, marked)
    upper = a > drawn * marked / np.maximum(everything, 1.0)
    start = np.where(upper, a, a - 1)
    inside = (start >= low) & (start <= high)
    total = np.zeros(a.size)
    here = np.flatnonzero(inside)
    total[here] = _hypergeometric_sum(
        start[here], everything[here], marked[here], drawn[here], upper[here]
    )
    tail = np.where(upper, total, 1.0 - total)
    return np.clip(np.where(a > high, 0.0, np.where(a <= low, 1.0, tail)), 0.0, 1.0)


def _hypergeometric_sum(k: Floats, n: Floats, marked: Floats, drawn: Floats, up: Bools) -> Floats:
    """Sum the terms from k upwards, or downwards where not `up`."""
    rest = n - marked
    term = np.exp(_choose(marked, k) + _choose(rest, drawn - k) - _choose(n, drawn))
    total, active, block = term.copy(), np.arange(k.size), MIN_BLOCK
    while active.size:
        steps = np.where(up, 1.0, -1.0)[:, None] * np.arange(block)
        ratios = _term_ratios(k[:, None] + steps, marked, drawn, rest, up)
        # In the order of a sum term by term, so that its length does not show in the result.
        terms = np.cumprod(np.column_stack((term, ratios)), axis=1)[:, 1:]
        sums = np.cumsum(np.column_stack((total[active], terms)), axis=1)[:, 1:]
        small = ~(terms > 1e-14 * sums)
        last = np.where(small.any(axis=1), small.argmax(axis=1), block - 1)
        rows = np.arange(active.size)
        total[active] = sums[rows, last]
        keep = ~small[rows, last]
        active, up, term = active[keep], up[keep], terms[keep, -1]
        k = k[keep] + np.where(up, block, -block)
        marked, drawn, rest = marked[keep], drawn[keep], rest[keep]
        block = min(4 * block, max(MIN_BLOCK, MAX_BLOCK // max(active.size, 1)))
    return np.asarray(total)


def _term_ratios(k: Floats, marked: Floats, drawn: Floats, rest: Floats, up: Bools) -> Floats:
    """P(k+1)/P(k) at each k of a row, and downwards its inverse one step before."""
    marked, drawn, rest = (x[:, None] for x in (marked, drawn, rest))
    up = up[:, None]
    j = np.where(up, k, k - 1)
    over, under = (marked - j) * (drawn - j), (j + 1) * (rest - drawn + j + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(up, over / under, under / over)
    return np.where(np.isfinite(ratio), np.maximum(ratio, 0.0), 0.0)


def _choose(n: Floats, k: Floats) -> Floats:
    """Logarithm of the binomial coefficient."""
    return np.asarray(special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1))


def two_sided_binomial(count: Floats, total: Floats, share: Floats) -> Floats:
    """Twice the smaller tail, at most 1."""
    upper = binomial_tail(count, total, share)
    lower = binomial_tail(total - count, total, 1 - share)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(upper, lower)))


def negative_binomial_tail(count: Floats, mean: Floats, variance: Floats) -> Floats:
    """P(at least `count`) for counts with this mean and variance; Poisson where they are equal."""
    mean = np.maximum(mean, 1e-12)
    spread = np.maximum(variance - mean, 1e-9 * mean)
    size = mean**2 / spread
    tail = special.betainc(np.maximum(count, 1.0), size, mean / (size + mean))
    return np.where(count < 1, 1.0, tail)


def dispersion(counts: Floats, expected: Floats) -> float:
    """Return alpha of the variance mu + alpha mu^2, by trimmed moments and a standard error more.

    The hosts with the most crashes in excess are left out: a bad host must not excuse itself. What
    healthy hosts lose by that is made good. From few crashes alpha is not known well; a standard
    error more keeps chance from being taken for hosts that are all alike.
    """
    known = expected > 0
    counts, expected = counts[known], expected[known]
    if counts.size < 10:
        return MIN_ALPHA
    typical = float(expected.mean())
    excess = (counts - expected) / np.sqrt(expected + 0.5)
    keep = np.argsort(excess)[: max(int(counts.size * (1 - TRIM)), 1)]
    counts, expected = counts[keep], expected[keep]
    scale = counts.sum() / max(expected.sum(), 1e-12)
    mean = expected * scale
    squares = max(float((mean**2).sum()), 1e-12)
    moment = float(((counts - mean) ** 2 - mean).sum()) / squares
    error = min(float(np.sqrt(2 / squares)), MAX_ERROR)
    return max(_untrimmed(moment, typical) + error, MIN_ALPHA)


def _untrimmed(moment: float, mean: float) -> float:
    """Return the alpha of which counts with this mean have such a moment once they are trimmed."""
    mean = min(mean, MAX_MEAN)
    low, high = 0, len(ALPHAS) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if _trimmed(ALPHAS[middle], mean) <= moment:
            low = middle
        else:
            high = middle
    ends = ALPHAS[low], ALPHAS[high]
    return float(np.interp(moment, [_trimmed(alpha, mean) for alpha in ends], ends))


@lru_cache(maxsize=1024)
def _trimmed(alpha: float, mean: float) -> float:
    """The moment of a negative binomial distribution without the largest TRIM of it.

    Remembered: every attribute asks for that of the same crashes.
    """
    k = np.arange(int(mean * (1 + 8 * np.sqrt(alpha))) + 30)
    size = 1 / alpha
    logs = special.gammaln(k + size) - special.gammaln(k + 1) - special.gammaln(size)
    share = np.exp(logs + k * np.log(mean / (size + mean)) + size * np.log(size / (size + mean)))
    share = np.diff(np.minimum(np.cumsum(share), 1 - TRIM), prepend=0.0) / (1 - TRIM)
    centre = float((share * k).sum())
    return (float((share * (k - centre) ** 2).sum()) - centre) / max(centre, 1e-12) ** 2


def relative_risk(a: float, exposed: float, b: float, others: float) -> tuple[float, float, float]:
    """Return the rate ratio (a / exposed) : (b / others) and its 95 % interval.

    Half an event is added to each side, so that a zero gives a wide interval, not none.
    """
    if exposed <= 0 or others <= 0:
        return float("nan"), 0.0, float("inf")
    ratio = ((a + 0.5) / exposed) / ((b + 0.5) / others)
    half = 1.959964 * float(np.sqrt(1 / (a + 0.5) + 1 / (b + 0.5)))
    return ratio, ratio * float(np.exp(-half)), ratio * float(np.exp(half))
