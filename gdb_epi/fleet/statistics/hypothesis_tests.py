# SPDX-License-Identifier: Apache-2.0
"""The tests behind the questions; pure functions over counts.

Tails come from the special functions that define them: importing scipy.stats takes longer than most
questions do. The test suite holds them against scipy.stats.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from gdb_epi.fleet.statistics import scipy_special
from gdb_epi.fleet.statistics.arrays import Bools, Floats

TRIM = 0.02  # of the hosts with the most crashes: they may be the bad ones we look for
MIN_ALPHA = 0.05
ALPHAS = tuple(0.02 * 1.3**step for step in range(26))  # to 14
MAX_ERROR = 1.0  # of alpha: from very few crashes
MAX_MEAN = 100.0  # crashes of a host, from which on only how hosts differ matters
MAX_EXACT = 2_000  # events of an exact Poisson-binomial
MIN_BLOCK, MAX_BLOCK = 4, 1 << 16  # terms of a sum at a time; most are short, some have thousands


def holm_adjusted_p_values(p: Floats) -> Floats:
    """Return each p paid for all of them (Holm 1979): strong ones make no room for another."""
    order, paid = np.argsort(p), np.empty(p.size)
    each = p[order] * np.arange(p.size, 0, -1)
    paid[order] = np.minimum(np.maximum.accumulate(each), 1.0)
    return paid


def q_values_up_to(limit: float, p: Floats, tested: int) -> Floats:
    """Return what `q_values` does where it is at most a limit, and 1 elsewhere.

    A q is no smaller than its p, so the others need not be sorted.
    """
    q, small = np.ones(p.size), p <= limit
    few = q_values(p[small], max(tested, p.size))
    q[small] = np.where(few <= limit, few, 1.0)
    return q


def q_values(p: Floats, tested: int) -> Floats:
    """Benjamini-Hochberg over `tested` tests, of which those not given had nothing to show."""
    if not p.size:
        return p
    order = np.argsort(p)
    ranked = np.clip(p[order], 0.0, 1.0) * max(tested, p.size) / np.arange(1, p.size + 1)
    q = np.empty(p.size)
    q[order] = np.minimum(np.minimum.accumulate(ranked[::-1])[::-1], 1.0)
    return q


def _call_with_numbers(tail: Callable[..., Floats], *numbers: float) -> float:
    """Return what a tail of this module, which takes arrays, is for single numbers."""
    return float(tail(*(np.array([float(number)]) for number in numbers))[0])


def binomial_tail(count: Floats, total: Floats, share: Floats) -> Floats:
    """P(at least `count` of `total`) when each falls here with probability `share`."""
    inside = (count >= 1) & (count <= total)
    k = np.where(inside, count, 1.0)
    tail = scipy_special.betainc(
        k, np.where(inside, total - count + 1, 1.0), np.clip(share, 0.0, 1.0)
    )
    return np.where(inside, tail, np.where(count < 1, 1.0, 0.0))


def binomial_p(count: float, total: float, share: float) -> float:
    """Return what `binomial_tail` is for single numbers."""
    return _call_with_numbers(binomial_tail, count, total, share)


def beta_binomial_tail(count: int, total: int, a: float, b: float) -> float:
    """Return P(at least `count` of `total`) where the chance of each is beta-distributed."""
    if count <= 0 or b <= 0:
        return 1.0
    k = np.arange(count, total + 1, dtype=float)
    log_beta = scipy_special.gammaln(k + a) + scipy_special.gammaln(total - k + b)
    log_beta -= scipy_special.gammaln(total + a + b)
    whole = scipy_special.gammaln(a) + scipy_special.gammaln(b) - scipy_special.gammaln(a + b)
    logs = _log_binomial_coefficient(np.full(k.size, float(total)), k) + log_beta - whole
    return float(min(1.0, np.exp(logs).sum()))


def poisson_binomial_tail(count: int, chances: Floats) -> float:
    """P(at least `count`) of events with a chance each; exact up to MAX_EXACT, then normal."""
    if chances.size > MAX_EXACT:
        mean, variance = chances.sum(), (chances * (1 - chances)).sum()
        return float(scipy_special.ndtr(-(count - 0.5 - mean) / np.sqrt(max(variance, 1e-12))))
    tail = np.zeros(chances.size + 1)
    tail[0] = 1.0
    for number, chance in enumerate(chances, 1):
        tail[1 : number + 1] = tail[1 : number + 1] * (1 - chance) + tail[:number] * chance
        tail[0] *= 1 - chance
    return float(min(1.0, tail[max(count, 0) :].sum()))


def upper_normal_tail(z: float) -> float:
    """P of a standard normal above `z`."""
    return float(scipy_special.ndtr(-z))


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


def hypergeometric_p(a: float, everything: float, marked: float, drawn: float) -> float:
    """Return what `hypergeometric_tail` is for single numbers."""
    return _call_with_numbers(hypergeometric_tail, a, everything, marked, drawn)


def hypergeometric_bound(a: Floats, everything: Floats, marked: Floats, drawn: Floats) -> Floats:
    """Return a bound that `hypergeometric_tail` is not below, for a tenth of its work.

    At most the mean it is 1/2, as the median is a whole number beside the mean (Jogdeo and Samuels
    1968). Above it the terms fall faster and faster: over a standard deviation they are summed as
    if all fell as fast as the last one. A millionth is taken off for rounding.
    """
    a, everything, marked, drawn = (x.astype(float) for x in (a, everything, marked, drawn))
    mean = drawn * marked / np.maximum(everything, 1.0)
    rest = everything - marked
    bound = np.where(a <= mean, 0.5, 0.0)
    above = np.flatnonzero((a > mean) & (a <= np.minimum(drawn, marked)))
    a, n, k, m, r = (x[above] for x in (a, everything, marked, drawn, rest))
    terms = np.minimum(np.ceil(np.sqrt(mean[above])) + 1, np.minimum(m, k) - a + 1)
    last = a + np.maximum(terms - 2, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (k - last) * (m - last) / ((last + 1) * (r - m + last + 1))
        some = (1 - ratio**terms) / (1 - ratio)
    first = np.exp(
        _log_binomial_coefficient(k, a)
        + _log_binomial_coefficient(r, m - a)
        - _log_binomial_coefficient(n, m)
    )
    bound[above] = first * np.where((ratio >= 0) & (ratio < 1), np.maximum(some, 1.0), 1.0)
    return np.minimum(bound, 1.0) * (1 - 1e-6)


def _hypergeometric_sum(k: Floats, n: Floats, marked: Floats, drawn: Floats, up: Bools) -> Floats:
    """Sum the terms from k upwards, or downwards where not `up`."""
    rest = n - marked
    term = np.exp(
        _log_binomial_coefficient(marked, k)
        + _log_binomial_coefficient(rest, drawn - k)
        - _log_binomial_coefficient(n, drawn)
    )
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


def _log_binomial_coefficient(n: Floats, k: Floats) -> Floats:
    """Logarithm of the binomial coefficient."""
    return np.asarray(
        scipy_special.gammaln(n + 1)
        - scipy_special.gammaln(k + 1)
        - scipy_special.gammaln(n - k + 1)
    )


def two_sided_binomial(count: Floats, total: Floats, share: Floats) -> Floats:
    """Twice the smaller tail, at most 1."""
    upper = binomial_tail(count, total, share)
    lower = binomial_tail(total - count, total, 1 - share)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(upper, lower)))


def two_sided_binomial_p(count: float, total: float, share: float) -> float:
    """Return what `two_sided_binomial` is for single numbers."""
    return _call_with_numbers(two_sided_binomial, count, total, share)


def negative_binomial_tail(count: Floats, mean: Floats, variance: Floats) -> Floats:
    """P(at least `count`) for counts with this mean and variance; Poisson where they are equal."""
    mean = np.maximum(mean, 1e-12)
    spread = np.maximum(variance - mean, 1e-9 * mean)
    size = mean**2 / spread
    tail = scipy_special.betainc(np.maximum(count, 1.0), size, mean / (size + mean))
    return np.where(count < 1, 1.0, tail)


def negative_binomial_p(count: float, mean: float, variance: float) -> float:
    """Return what `negative_binomial_tail` is for single numbers."""
    return _call_with_numbers(negative_binomial_tail, count, mean, variance)


def estimate_overdispersion(counts: Floats, expected: Floats) -> float:
    """Return alpha of the variance mu + alpha mu^2, by trimmed moments and a standard error more.

    The hosts with the most crashes in excess are left out: a bad host must not excuse itself. What
    healthy hosts lose by that is made good. From few crashes alpha is not known well; a standard
    error more keeps chance from being taken for hosts that are all alike.
    """
    has_expectation = expected > 0
    counts, expected = counts[has_expectation], expected[has_expectation]
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
    return max(_untrim_alpha(moment, typical) + error, MIN_ALPHA)


def _untrim_alpha(moment: float, mean: float) -> float:
    """Return the alpha of which counts with this mean have such a moment once they are trimmed."""
    mean = min(mean, MAX_MEAN)
    low, high = 0, len(ALPHAS) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if _trimmed_moment(ALPHAS[middle], mean) <= moment:
            low = middle
        else:
            high = middle
    ends = ALPHAS[low], ALPHAS[high]
    return float(np.interp(moment, [_trimmed_moment(alpha, mean) for alpha in ends], ends))


@lru_cache(maxsize=1024)
def _trimmed_moment(alpha: float, mean: float) -> float:
    """The moment of a negative binomial distribution without the largest TRIM of it.

    Remembered: every attribute asks for that of the same crashes.
    """
    k = np.arange(int(mean * (1 + 8 * np.sqrt(alpha))) + 30)
    size = 1 / alpha
    logs = (
        scipy_special.gammaln(k + size) - scipy_special.gammaln(k + 1) - scipy_special.gammaln(size)
    )
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
    return ratio_with_interval(
        ((a + 0.5) / exposed) / ((b + 0.5) / others), 1 / (a + 0.5) + 1 / (b + 0.5)
    )


def risk_by_share(n: float, total: float, share: float) -> tuple[float, float, float]:
    """Return relative_risk() of n events of all, where a share of them was due."""
    return relative_risk(n, share, total - n, 1 - share)


def ratio_with_interval(ratio: float, variance: float) -> tuple[float, float, float]:
    """Return a ratio and its 95 % interval, given the variance of its logarithm."""
    half = 1.959964 * float(np.sqrt(variance))
    return float(ratio), float(ratio * np.exp(-half)), float(ratio * np.exp(half))
