# SPDX-License-Identifier: Apache-2.0
"""The integers of a crash's row in three words, made by SQLite and taken apart by numpy.

For each value that comes out of SQLite its driver takes two locks and makes an object: of reading
a million crashes that was the most. A database whose numbers do not fit is read column by column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gdb_epi.fleet.population import Ints

_MANY = 21  # bits of an id
# Column -> bits of its value + 1, 0 for NULL. The last of a word takes what is left: a number that
# is too large makes the sum negative, or a float that is no int64.
WORDS: tuple[tuple[tuple[str, int], ...], ...] = (
    (("host_id", _MANY), ("sig_id", _MANY), ("attrset_id", _MANY)),
    (("bitflip", 2), ("lock_inherited", 2), ("flip_bit", 7), ("factset_id", 52)),
    (("cpu_no", 12), ("libset_id", 51)),
)
# Of those that are not the last: an index gives the bounds of ids at once, flags and flip_bit are
# bounded by the projection, and the number of a CPU is looked at in each row.
_BOUNDS = "SELECT " + ", ".join(
    f"(SELECT {bound}({name}) FROM crash)"
    for name in ("host_id", "sig_id")
    for bound in ("min", "max")
)
_CPU = (
    "CASE WHEN cpu_no BETWEEN 0 AND 4094 THEN cpu_no + 1 WHEN cpu_no IS NULL THEN 0 ELSE 1e300 END"
)


class TooWide(Exception):
    """A number does not fit its bits."""


def expressions(cursor: Any) -> list[str]:
    """Return the SQL of each word, for what `cursor` can execute. Raises TooWide."""
    bounds = [bound for bound in cursor.execute(_BOUNDS).fetchone() if bound is not None]
    if not all(isinstance(x, int) and 0 <= x < (1 << _MANY) - 1 for x in bounds):
        raise TooWide
    return [_expression(word) for word in WORDS]


def _expression(word: Sequence[tuple[str, int]]) -> str:
    terms, shift = [], 0
    for name, bits in word:
        value = _CPU if name == "cpu_no" else f"coalesce({name} + 1, 0)"
        terms.append(f"({value}) * {1 << shift}")
        shift += bits
    return " + ".join(terms)


def apart(words: Sequence[Sequence[Any]]) -> dict[str, Ints]:
    """Return column -> numbers, -1 for NULL, of columns of words. Raises TooWide."""
    found: dict[str, Ints] = {}
    for word, column in zip(WORDS, words, strict=True):
        try:
            rest = np.fromiter(column, np.int64, len(column))
        except OverflowError as error:
            raise TooWide from error
        if (rest < 0).any():
            raise TooWide
        for name, bits in word:
            found[name] = (rest & ((1 << bits) - 1)) - 1
            rest >>= bits
    return found
