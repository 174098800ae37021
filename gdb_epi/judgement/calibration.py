# SPDX-License-Identifier: Apache-2.0
"""How often a rule was right: counted programs, not opinions.

`calibration.json` holds for each rule in how many programs it was right and in how many wrong, and
where they are from. tests/judgement/calibrate.py makes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import counted, shipped_json

AS_USUAL = 2
NO_CASE = "no case was counted yet"
ANY_RULE = "*"  # the row of rules without counts
TABLE_FILE = "calibration.json"


PROGRAMS_OF = {
    "corruption": "made by the generators",
    "corruption-bare": "made by the generators, asked without their files",
    "gallery-first": "that the rule's authors may have known",
    "gallery-first-score": "unknown to the rule's authors",
}


class RuleCounts(NamedTuple):
    """In how many programs a rule was right and wrong; in parts where its cores differ.

    `programs` is how many of them are of which collection, a key of PROGRAMS_OF; `usual` is how
    often rules are right, the mean over all of them.
    """

    right: float
    wrong: float
    note: str = ""
    usual: float = 0.5
    programs: tuple[tuple[str, int], ...] = ()

    @property
    def origin(self) -> str:
        """Return where the counts are from, in words."""
        parts = [f"{number} {PROGRAMS_OF[source]}" for source, number in self.programs]
        total = counted(sum(number for _, number in self.programs), "program")
        measured = f"measured on {total}: {', '.join(parts)}" if parts else ""
        return "; ".join(filter(None, (measured, self.note)))

    @property
    def probability(self) -> float:
        """Return the probability that the rule is right.

        Laplace's rule of succession, and AS_USUAL programs in which the rule does as rules usually
        do. So one counted case makes nobody sure, and a hundred cases make the number.
        """
        right = self.right + 1 + AS_USUAL * self.usual
        return right / (self.right + self.wrong + 2 + AS_USUAL)


@cache
def load_calibration() -> Mapping[str, RuleCounts]:
    """Return the table that is shipped with this package."""
    return parse_calibration(shipped_json(__file__, TABLE_FILE))


def calibration_version() -> str:
    """Return which counts the confidence of a verdict rests on."""
    return str(shipped_json(__file__, TABLE_FILE)["version"])


def parse_calibration(document: Mapping[str, Any]) -> Mapping[str, RuleCounts]:
    """Return a table from its JSON document."""
    usual = document.get("usual", 0.5)
    table = {
        name: RuleCounts(
            row["right"], row["wrong"], row.get("note", ""), usual, tuple(row["programs"].items())
        )
        for name, row in document["rules"].items()
    }
    return {**table, ANY_RULE: RuleCounts(0, 0, NO_CASE, usual)}


def counts_for_rule(rule: str, table: Mapping[str, RuleCounts]) -> RuleCounts:
    """Return the counts of a rule; of one without any, what rules usually are."""
    return table.get(rule) or table.get(ANY_RULE) or RuleCounts(0, 0, NO_CASE)
