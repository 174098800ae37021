# SPDX-License-Identifier: Apache-2.0
"""How sure a crash rate is: exact (Clopper-Pearson) intervals, without SciPy.

Source: Clopper and Pearson 1934 for a fixed number of runs; for runs that stop at the first
success the same with the negative binomial distribution.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from gdb_epi.typing_lite import NamedTuple

_Tail = Callable[[float], float]
_STEPS = 200  # of a bisection; doubles are exhausted after 60


class Interval(NamedTuple):
    """A rate and the interval that holds the true one with this confidence."""

    rate: float
    low: float
    high: float
    confidence: float


def interval_for_fixed_runs(count: int, runs: int, confidence: float = 0.95) -> Interval:
    """Return the interval of `count` successes in `runs` runs, a number fixed before.

    Raises ValueError when there was no run, or more successes than runs.
    """
    _check(count, runs, confidence)
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else _solve(lambda p: _at_least(count, runs, p) - tail)
    high = 1.0 if count == runs else _solve(lambda p: _at_least(count + 1, runs, p) - (1 - tail))
    return Interval(count / runs, low, high, confidence)


def interval_until_success(runs: int, confidence: float = 0.95) -> Interval:
    """Return the interval when run number `runs` was the first success, and the last run.

    P(first success at n or later) = (1-p)^(n-1), at n or earlier = 1 - (1-p)^n.
    """
    _check(1, runs, confidence)
    tail = (1 - confidence) / 2
    low = -math.expm1(math.log1p(-tail) / runs)
    high = 1.0 if runs == 1 else -math.expm1(math.log(tail) / (runs - 1))
    return Interval(1 / runs, low, high, confidence)


def upper_limit_without_success(runs: int, confidence: float = 0.95) -> float:
    """Return the highest rate that `runs` runs without a success leave open (one-sided)."""
    _check(0, runs, confidence)
    return -math.expm1(math.log(1 - confidence) / runs)


def _check(count: int, runs: int, confidence: float) -> None:
    if runs < 1 or not 0 <= count <= runs or not 0 < confidence < 1:
        raise ValueError(f"no interval for {count} of {runs} at {confidence}")


def _at_least(count: int, runs: int, p: float) -> float:
    """P(X >= count) for X binomial; the shorter tail is summed, from its largest term."""
    if count <= 0:
        return 1.0
    if count > runs or p <= 0:
        return 0.0
    if p >= 1:
        return 1.0
    upper = count > runs * p
    terms = range(count, runs + 1) if upper else range(count)
    logs = [_log_term(k, runs, p) for k in terms]
    top = max(logs)
    total = math.exp(top) * math.fsum(math.exp(value - top) for value in logs)
    return min(total if upper else 1 - total, 1.0)


def _log_term(k: int, n: int, p: float) -> float:
    choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return choose + k * math.log(p) + (n - k) * math.log1p(-p)


def _solve(function: _Tail) -> float:
    """Return where a rising function of (0, 1) is zero, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if function(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
