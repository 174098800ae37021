# SPDX-License-Identifier: Apache-2.0
"""Numbers whose larger values have more crashes throughout: CPUs, memory, load.

A race that comes more often the more CPUs there are stands out at the largest machines, and is no
fault of these. Where the crashes without the value that stands out lean the same way, it is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, sqrt

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.finding import Finding
from gdb_epi.fleet.statistics.arrays import Floats, Ints

MIN_VALUES = 3
MIN_SHARE = 0.02  # of a value that is looked at
MIN_Z = 2.33  # one-sided 1 %
MAX_SHOWN = 6
RISES = (
    "its rate {goes} with {name} ({rates} times its share): a race, or load, looks like this, and "
    "the value alone is no cause"
)


def caveat_of_rising_rate(
    name: str, values: Sequence[str], codes: Ints, share: Floats, value: int
) -> tuple[str, ...]:
    """Return a caveat where the rate rises (or falls) over all values of a number.

    `codes` are the values of some crashes, ABSENT left out, and `value` is the one that stands out.
    """
    usual = np.flatnonzero(share >= MIN_SHARE)
    numbers = [_number(values[code]) for code in usual.tolist()]
    if usual.size < MIN_VALUES or None in numbers or value not in usual:
        return ()
    order = usual[np.argsort(np.array(numbers, dtype=float), kind="stable")]
    if value not in (order[0], order[-1]):
        return ()
    counts = np.bincount(codes, minlength=share.size).astype(float)
    rest = order[order != value]
    n, part = counts[rest].sum(), share[rest] / share[rest].sum()
    if not n:
        return ()
    rank = np.arange(rest.size, dtype=float)
    mean = float((part * rank).sum())
    spread = sqrt(float((part * (rank - mean) ** 2).sum()) / n)
    z = (float((counts[rest] * rank).sum() / n) - mean) / max(spread, 1e-12)
    if (z if value == order[-1] else -z) < MIN_Z:
        return ()
    rates = counts[order] / counts[order].sum() / (share[order] / share[order].sum())
    shown = [f"{values[c]}: {r:.2g}" for c, r in zip(order.tolist(), rates.tolist(), strict=True)]
    if len(shown) > MAX_SHOWN:
        shown = [*shown[: MAX_SHOWN // 2], "...", *shown[-MAX_SHOWN // 2 :]]
    goes = "rises" if value == order[-1] else "falls"
    return (RISES.format(goes=goes, name=name, rates=", ".join(shown)),)


def threshold_mark(population: Population, findings: Sequence[Finding]) -> str | None:
    """Return the limit that findings of several values of one number are, "memory_gib >= 1024".

    None where they are not the largest (or the smallest) of its values: those are several marks.
    """
    attribute = population.attribute(findings[0].attr) if len(findings) > 1 else None
    if attribute is None or {finding.attr for finding in findings} != {attribute.name}:
        return None
    numbers = {value: _number(value) for value in attribute.values}
    known = {value: number for value, number in numbers.items() if number is not None}
    order = sorted(known, key=known.__getitem__)
    chosen = {finding.value for finding in findings}
    if len(known) < len(numbers) or len(chosen) == len(order):
        return None
    if set(order[-len(chosen) :]) == chosen:
        return f"{attribute.name} >= {order[-len(chosen)]}"
    if set(order[: len(chosen)]) == chosen:
        return f"{attribute.name} <= {order[len(chosen) - 1]}"
    return None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None
