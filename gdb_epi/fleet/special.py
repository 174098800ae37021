# SPDX-License-Identifier: Apache-2.0
"""The four special functions behind the tests, over arrays.

scipy.special has them all, but its import takes 0.2 s of CPU (it brings numpy.f2py, numpy.testing
and unittest along), which is more than most questions do. The test suite holds these against scipy.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LARGE = 10.0  # from here on Stirling's series is exact to a double with the terms below
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
_TINY = 1e-300
_ENOUGH = 1e-15  # relative change of a continued fraction that ends it
MAX_STEPS = 20_000  # of a continued fraction; about the root of the larger argument is needed


def log_gamma(x: Floats) -> Floats:
    """Return the logarithm of the gamma function of positive numbers."""
    small = x < _LARGE
    z = np.where(small, x + _LARGE, x)
    found = (z - 0.5) * np.log(z) - z + _HALF_LOG_2PI + _rest(z)
    if small.any():
        few = x[small]
        product = few.copy()
        for step in range(1, int(_LARGE)):
            product *= few + step
        found[small] -= np.log(product)
    return np.asarray(found)


def _rest(z: Floats) -> Floats:
    """What Stirling's formula lacks of log_gamma, for _LARGE and up."""
    square = 1 / (z * z)
    total = np.zeros_like(z)
    for factor in reversed(_STIRLING):
        total = total * square + factor
    return np.asarray(total / z)


def log_beta(a: Floats, b: Floats) -> Floats:
    """Return the logarithm of the beta function; no precision is lost where one is huge."""
    less, more = np.minimum(a, b), np.maximum(a, b)
    both = less + more
    plain = more < _LARGE
    big = np.where(plain, _LARGE, more)
    found = log_gamma(less) + _rest(big) - _rest(np.where(plain, _LARGE, both))
    found += less - (more - 0.5) * np.log1p(less / more) - less * np.log(both)
    if plain.any():
        parts = (log_gamma(part[plain]) for part in (less, more, both))
        found[plain] = next(parts) + next(parts) - next(parts)
    return np.asarray(found)


def beta_share(a: Floats, b: Floats, x: Floats) -> Floats:
    """Return the regularized incomplete beta function I_x(a, b) of positive a and b.

    By its continued fraction (Numerical Recipes 6.4; DLMF 8.17.22), on the side where it converges.
    """
    a, b, x = np.broadcast_arrays(*(np.asarray(part, dtype=float) for part in (a, b, x)))
    inside = (x > 0) & (x < 1)
    found = np.where(x >= 1, 1.0, 0.0)
    a, b, x = a[inside], b[inside], x[inside]
    front = np.exp(a * np.log(x) + b * np.log1p(-x) - log_beta(a, b))
    far = x > (a + 1) / (a + b + 2)
    a, b, x = np.where(far, b, a), np.where(far, a, b), np.where(far, 1 - x, x)
    share = front * _fraction(a, b, x) / a
    found[inside] = np.clip(np.where(far, 1 - share, share), 0.0, 1.0)
    return found


def _fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """The continued fraction by Lentz's method; what has converged is left out from then on."""
    total = np.empty(a.size)
    at: NDArray[np.int64] = np.arange(a.size)
    c: Floats = np.ones(a.size)
    d: Floats = 1 / _away(1 - (a + b) * x / (a + 1))
    h = d.copy()
    for m in range(1, MAX_STEPS):
        if not at.size:
            break
        twice = a + 2 * m
        even = m * (b - m) * x / ((twice - 1) * twice)
        d, c = 1 / _away(1 + even * d), _away(1 + even / c)
        h *= d * c
        odd = -(a + m) * (a + b + m) * x / (twice * (twice + 1))
        d, c = 1 / _away(1 + odd * d), _away(1 + odd / c)
        change = d * c
        h *= change
        going = np.abs(change - 1) > _ENOUGH
        if not going.all():
            total[at[~going]] = h[~going]
            at = at[going]
            a, b, x, c, d, h = (part[going] for part in (a, b, x, c, d, h))
    total[at] = h
    return total


def _away(x: Floats) -> Floats:
    """Keep a denominator away from zero."""
    return np.where(np.abs(x) < _TINY, _TINY, x)


def normal_tail(z: float) -> float:
    """Return P(at least z) of a standard normal variable."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def chi_square_tail(pairs: int, x: Floats) -> Floats:
    """Return P(at least x) of chi-square with 2 * `pairs` degrees of freedom: a finite sum."""
    half = x / 2
    term = np.exp(-half)
    total = term.copy()
    for i in range(1, pairs):
        term = term * half / i
        total += term
    return np.asarray(total)
