# SPDX-License-Identifier: Apache-2.0
"""How often a rule was right: counted programs, not opinions.

`calibration.json` holds for each rule in how many programs it was right and in how many wrong, and
where they are from. tests/judgement/calibrate.py makes it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

from gdb_epi.typing_lite import Any, NamedTuple, parse_json


class Counts(NamedTuple):
    """In how many programs a rule was right and wrong; in parts where its cores differ."""

    right: float
    wrong: float
    origin: str

    @property
    def probability(self) -> float:
        """Return the probability that the rule is right: Laplace's rule of succession.

        Without a counted case it is a half. Never 1: n cases without an error leave 1 / (n + 2).
        """
        return (self.right + 1) / (self.right + self.wrong + 2)


UNCOUNTED = Counts(0, 0, "no case was counted yet")


@cache
def _document() -> Mapping[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "calibration.json"), encoding="utf-8") as f:
        document: Mapping[str, Any] = parse_json(f.read())
    return document


@cache
def counted_rules() -> Mapping[str, Counts]:
    """Return the table that is shipped with this package."""
    return read_calibration(_document())


def calibration_version() -> str:
    """Return which counts the confidence of a verdict rests on."""
    return str(_document()["version"])


def read_calibration(document: Mapping[str, Any]) -> Mapping[str, Counts]:
    """Return a table from its JSON document."""
    return {
        name: Counts(row["right"], row["wrong"], row["origin"])
        for name, row in document["rules"].items()
    }


def counts_of(rule: str, table: Mapping[str, Counts]) -> Counts:
    """Return the counts of a rule; a kind of its own without any is not that of the others."""
    return table.get(rule, UNCOUNTED)
