# SPDX-License-Identifier: Apache-2.0
"""P: the faulting pointer is one bit from one that would have worked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import MEMORY, REGISTER, Evidence
from gdb_epi.lean import Any

# From the strongest view of the same fact to the weakest.
LEVELS = ("P3", "P2", "P4", "P6", "P5", "P1")


@check("P", needs="crash")
def pointer(context: Context) -> Iterator[Evidence]:
    """Rank each candidate of the detector pointer_one_bit_off.

    Innocent causes: those that the detector rules out; strides of 2^k and tag bits come out as
    ambiguous, and many candidates argue against each.
    """
    for one in context.findings:
        if one.detector == "pointer_one_bit_off":
            yield from _ranked(one.facts, one.summary)


def _ranked(facts: Mapping[str, Any], summary: str) -> Iterator[Evidence]:
    level = next((name for name in LEVELS if name in facts["items"]), None)
    if level is None:
        return
    places: list[int | str] = [int(place, 16) for place in facts["where"]] or [facts["source"]]
    told = {
        "items": list(facts["items"]),
        "rivals": facts["candidates"],
        "access": facts["access"],
        "object_type": facts["object_type"],
        "copies": facts["copies"],
    }
    for place in places:
        yield Evidence(
            level,
            place,
            int(facts["found"], 16),
            int(facts["corrected"], 16),
            (int(facts["bit"]),),
            MEMORY if facts["path"] == "memory" else REGISTER,
            summary,
            told,
            facts.get("ambiguous"),
        )
