# SPDX-License-Identifier: Apache-2.0
"""Latent classes of categorical facts: which crashes look alike in several facts at once.

EM for the mixture of independent categorical facts (Lazarsfeld and Henry 1968), the number of
classes by the Bayesian information criterion (Schwarz 1978). Rows that are equal count once with a
weight, and what is absent in a row says nothing. The same rows give the same classes every time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.statistics.arrays import Bools, Floats, Ints, distinct_rows
from gdb_epi.typing_lite import NamedTuple

MAX_CLASSES = 4
MIN_GAIN = 10.0  # of BIC by another class: "very strong" (Kass and Raftery 1995)
MIN_CLASS = 3  # rows
MIN_CERTAINTY = 0.9  # mean probability of a row's own class
SMOOTH = 0.5  # rows that each value of a fact gets beforehand, in all: no probability is 0
MIN_SURE = 0.95  # probability of its class from which on a row is called one of it
STARTS = 3
STEPS = 60
MAX_ROWS = 2_000  # that the classes are learnt from; more would name no other ones
SEED = 20_260_630


class LatentClassFit(NamedTuple):
    """The class of each row; `gain` is how much better the BIC is than with one class."""

    number: int
    of_row: Ints
    gain: float
    sure: Bools  # rows that are of their class with a probability of MIN_SURE and more


class _EmState(NamedTuple):
    likelihood: float
    chances: Floats  # of each pattern to be of each class
    log_values: Floats
    log_share: Floats


def find_classes(columns: Sequence[Ints]) -> LatentClassFit:
    """Return the classes of rows, given one column of codes (-1: absent) per fact."""
    everything = int(columns[0].size) if columns else 0
    rows = min(everything, MAX_ROWS)
    chosen_classes = LatentClassFit(
        1, np.zeros(everything, dtype=np.int64), 0.0, np.ones(everything, dtype=bool)
    )
    if len(columns) < 2 or rows < 2 * MIN_CLASS:
        return chosen_classes
    chosen = np.sort(np.random.default_rng(SEED).choice(everything, rows, replace=False))
    patterns, _, weights = _distinct_patterns([column[chosen] for column in columns])
    sizes = [int(column.max()) + 1 for column in columns]
    table = _one_hot(patterns, sizes)
    free = sum(size - 1 for size in sizes)
    first = best = _bic(_best_fit(table, weights, sizes, 1).likelihood, free, rows)
    for count in range(2, min(MAX_CLASSES, len(patterns)) + 1):
        fit = _best_fit(table, weights, sizes, count)
        bic = _bic(fit.likelihood, count * free + count - 1, rows)
        own = np.argmax(fit.chances, axis=1)
        held = np.bincount(own, weights=weights, minlength=count)
        certain = float((fit.chances.max(axis=1) * weights).sum() / rows)
        if best - bic < MIN_GAIN or held.min() < MIN_CLASS or certain < MIN_CERTAINTY:
            break
        of_row, sure = _assign_classes(columns, sizes, fit)
        best, chosen_classes = bic, LatentClassFit(count, of_row, first - bic, sure)
    return chosen_classes


def _distinct_patterns(columns: Sequence[Ints]) -> tuple[Ints, Ints, Ints]:
    """The distinct rows in order, the number of the one that each row is, and their counts."""
    where, number, counts = distinct_rows(columns)
    return np.stack([column[where] for column in columns], axis=1), number, counts


def _assign_classes(
    columns: Sequence[Ints], sizes: Sequence[int], fit: _EmState
) -> tuple[Ints, Bools]:
    """The most likely class of each row, and whether it is sure."""
    patterns, rows, _ = _distinct_patterns(columns)
    joint = _one_hot(patterns, sizes) @ fit.log_values.T + fit.log_share
    top = joint.max(axis=1)
    sure = 1 / np.exp(joint - top[:, None]).sum(axis=1) >= MIN_SURE
    return np.asarray(np.argmax(joint, axis=1)[rows]), np.asarray(sure[rows])


def _one_hot(patterns: Ints, sizes: Sequence[int]) -> Floats:
    table = np.zeros((len(patterns), sum(sizes)))
    start = 0
    for column, size in enumerate(sizes):
        rows_with_value = np.flatnonzero(patterns[:, column] >= 0)
        table[rows_with_value, start + patterns[rows_with_value, column]] = 1.0
        start += size
    return table


def _bic(likelihood: float, parameters: int, rows: int) -> float:
    return float(parameters * np.log(rows) - 2 * likelihood)


def _best_fit(table: Floats, weights: Ints, sizes: Sequence[int], count: int) -> _EmState:
    """The best of some starts."""
    random = np.random.default_rng(SEED + count)
    fits = []
    for _ in range(STARTS if count > 1 else 1):
        chances = random.dirichlet(np.ones(count), len(table))
        fits.append(_run_em(table, weights.astype(float), sizes, chances))
    return max(fits, key=lambda fit: fit.likelihood)


def _run_em(table: Floats, weights: Floats, sizes: Sequence[int], chances: Floats) -> _EmState:
    """Repeat the two steps of EM until nothing moves."""
    before = -np.inf
    for _ in range(STEPS):
        weighted = chances * weights[:, None]
        share = weighted.sum(axis=0) + SMOOTH
        # Logarithms of the probability of each value of each fact in each class.
        counts = weighted.T @ table
        log_values = np.empty_like(counts)
        start = 0
        for size in sizes:
            part = counts[:, start : start + size] + SMOOTH / size
            log_values[:, start : start + size] = np.log(part / part.sum(axis=1, keepdims=True))
            start += size
        log_share = np.log(share / share.sum())
        joint = table @ log_values.T + log_share
        top = joint.max(axis=1, keepdims=True)
        total = top[:, 0] + np.log(np.exp(joint - top).sum(axis=1))
        chances = np.exp(joint - total[:, None])
        likelihood = float((weights * total).sum())
        if likelihood - before < 1e-6:
            break
        before = likelihood
    return _EmState(likelihood, chances, log_values, log_share)
