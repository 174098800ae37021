# SPDX-License-Identifier: Apache-2.0
"""The record's group `corruption`: what was found, what it weighs, what could not be checked."""

from __future__ import annotations

from gdb_epi.corruption.evidence import Evidence
from gdb_epi.corruption.minidump_rule import possible_bit_flips
from gdb_epi.corruption.run import CheckResults
from gdb_epi.corruption.score import Score, weights
from gdb_epi.detectors.findings import hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.site import NO_FAULT
from gdb_epi.sizes import PAGE
from gdb_epi.typing_lite import Any

MAX_CANDIDATES = 16
MAX_TEXT = 300

Json = dict[str, Any]


def corruption_group(found: CheckResults) -> Json:
    """Return the group (SCHEMA.md, "corruption"); the strongest candidates come first."""
    score = found.score
    return {
        "word": score.word,
        "llr": score.llr,
        "prior": score.prior,
        "path": score.path,
        "weights": weights().version,
        "ambiguous": score.ambiguous,
        "symptom": found.symptom.name,
        "fault": _fault(found),
        "candidates": candidates(found)[:MAX_CANDIDATES],
        "possible_bit_flips": _possible_bit_flips(found),
        "against": [one.id for one in score.against],
        "skipped": [{"check": one.check, "why": one.why[:MAX_TEXT]} for one in found.skipped],
    }


def _possible_bit_flips(found: CheckResults) -> list[Json]:
    """Return what rust-minidump's rule says, in its own fields."""
    return [
        {
            "address": hex_word(one.address),
            "details": one.details._asdict(),
            "confidence": round(one.confidence, 4),
            "source_register": one.source_register,
        }
        for one in possible_bit_flips(found.context.state)[:MAX_CANDIDATES]
    ]


def _fault(found: CheckResults) -> Json | None:
    """Return the access that failed; None when nothing failed."""
    site = found.context.site
    if isinstance(site, Absent) or site.kind == NO_FAULT:
        return None
    return {
        "kind": site.kind,
        "access": site.access,
        "address": None if site.address is None else hex_word(site.address),
        "address_from": site.source or None,
        "instruction": site.code[: site.instruction.length].hex() if site.instruction else None,
    }


def candidates(found: CheckResults) -> list[Json]:
    """Return one entry per place and pair of words, with the ids of all that says so."""
    known: dict[tuple[object, ...], Json] = {}
    for one in _by_strength(found.evidence, found.score):
        if one.corrected is None or one.found is None:
            continue
        entry = known.setdefault((one.where, one.found, one.corrected), _candidate(one))
        ids = one.facts.get("items") or [one.id]
        entry["evidence"] = list(dict.fromkeys([*entry["evidence"], *ids]))
    return list(known.values())


def _by_strength(evidence: tuple[Evidence, ...], score: Score) -> list[Evidence]:
    best = {(one.found, one.corrected) for one in score.best}
    return sorted(evidence, key=lambda one: (one.found, one.corrected) not in best)


def _candidate(one: Evidence) -> Json:
    """Return a candidate; lane, direction and page offset are what recurs on a bad part."""
    found: Json = {
        "where": hex_word(one.where) if isinstance(one.where, int) else one.where,
        "found": hex_word(one.found or 0),
        "corrected": hex_word(one.corrected or 0),
        "bits": list(one.bits),
        "evidence": [],
    }
    if len(one.bits) == 1:
        bit = one.bits[0]
        found["direction"] = "0->1" if (one.found or 0) >> bit & 1 else "1->0"
        found["byte_lane"] = bit // 8
    if isinstance(one.where, int):
        found["page_offset"] = one.where % PAGE
    return found
