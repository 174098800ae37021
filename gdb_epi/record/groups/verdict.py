# SPDX-License-Identifier: Apache-2.0
"""The judgement: evidence of corruption, findings, the verdict, and two flags derived from them."""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.corruption.record_section import corruption_group
from gdb_epi.corruption.run_checks import no_check_ran
from gdb_epi.corruption.score import Score
from gdb_epi.detectors.registry import hex_word
from gdb_epi.judgement.calibration import calibration_version
from gdb_epi.judgement.code_at_fault import find_code_at_fault
from gdb_epi.judgement.verdict import DamagedWord, Verdict
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, group
from gdb_epi.util import pick_attributes

MAX_FINDINGS = 64


@group("corruption", order=110)
def corruption(parts: RecordParts, _notes: RecordNotes) -> Json:
    """Return the score of the evidence for damaged memory."""
    return corruption_group(parts.corruption)


@group("findings", order=120)
def findings(parts: RecordParts, _notes: RecordNotes) -> list[Json]:
    """Return what the detectors found."""
    return [
        {
            "detector": finding.detector,
            "subject": finding.subject,
            "facts": dict(finding.facts),
            "summary": finding.summary,
        }
        for finding in parts.findings[:MAX_FINDINGS]
    ]


@group("verdict", order=130)
def verdict(parts: RecordParts, _notes: RecordNotes) -> Json:
    """Return the verdict with its reasons."""
    return verdict_json(parts.verdict, judged_damage=not no_check_ran(parts.corruption.skipped))


def verdict_json(judged: Verdict, *, judged_damage: bool = True) -> Json:
    """Return a verdict as the record holds it (SCHEMA.md)."""
    damage = _damage_json(judged.damage)
    if not judged_damage:
        damage["judged"] = False
    return {
        **pick_attributes(judged, "model", "label", "confidence", "word"),
        "reasons": list(judged.reasons),
        "against": list(judged.against),
        "rules": list(judged.rules),
        "calibration": calibration_version(),
        "damage": damage,
        "cause": [share._asdict() for share in judged.cause],
    }


def _damage_json(damage: DamagedWord) -> Json:
    """Return the damage; without evidence for any, only `found`."""
    made: Json = {"found": damage.found}
    if damage.confidence is not None:
        where = damage.where
        made["confidence"] = damage.confidence
        made["where"] = hex_word(where) if isinstance(where, int) else where
        made["bits"] = list(damage.bits)
    if damage.holds is not None and damage.should_be is not None:
        made |= {"holds": hex_word(damage.holds), "should_be": hex_word(damage.should_be)}
    return made


@group("at_fault", order=135)
def at_fault(parts: RecordParts, _notes: RecordNotes) -> Json | None:
    """Return whose code a software bug is in, as far as is known."""
    code = find_code_at_fault(parts.state, parts.verdict, parts.findings)
    if code is None:
        return None
    made = {"whose": code.whose, "files": list(code.files), "ctypes": code.ctypes}
    return {**made, "package": code.package} if code.package else made


@group("flags", order=150)
def flags(parts: RecordParts, _notes: RecordNotes) -> Json:
    """Return what a fleet counts most."""
    detectors = {finding.detector for finding in parts.findings}
    return {
        "bitflip": parts.corruption.score.is_damaged,
        "lock_inherited": "forked_child_lock" in detectors,
    }


def recompute_flags(score: Score, before: Mapping[str, object]) -> Json:
    """Return the flags of a record whose verdict was recomputed."""
    return {**before, "bitflip": score.is_damaged}
