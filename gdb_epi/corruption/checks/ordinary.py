# SPDX-License-Identifier: Apache-2.0
"""The ordinary causes that detectors have found, as evidence against."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import UNKNOWN, Evidence
from gdb_epi.detectors.findings import Finding

ORDINARY = ("null_dereference", "stack_overflow", "deliberate_abort")


@check("ordinary", order=10)
def ordinary(context: Context) -> Iterator[Evidence]:
    """Take over the detectors' findings of ordinary causes.

    Innocent causes: these are the innocent causes themselves.
    """
    for one in context.findings:
        if one.detector in ORDINARY:
            yield Evidence(_id(one), "", None, None, (), UNKNOWN, one.summary, dict(one.facts))


def _id(one: Finding) -> str:
    if one.detector != "deliberate_abort":
        return f"S:{one.detector}"
    double = "double-free" in str(one.facts.get("class", ""))
    return f"S:abort-{'double-free' if double else one.facts.get('kind')}"
