# SPDX-License-Identifier: Apache-2.0
"""The judgement: evidence of corruption, findings, the verdict, and two flags drawn from them."""

from __future__ import annotations

from gdb_epi.corruption.record_section import corruption_group
from gdb_epi.record.registry import Json, Notes, Parts, group

MAX_FINDINGS = 64


@group("corruption", order=110)
def corruption(parts: Parts, _notes: Notes) -> Json:
    """Return the score of the evidence for damaged memory."""
    return corruption_group(parts.corruption)


@group("findings", order=120)
def findings(parts: Parts, _notes: Notes) -> list[Json]:
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
def verdict(parts: Parts, _notes: Notes) -> Json:
    """Return the verdict with its reasons."""
    judged = parts.verdict
    return {
        "label": judged.label,
        "confidence": judged.confidence,
        "word": judged.word,
        "reasons": list(judged.reasons),
        "against": list(judged.against),
    }


@group("flags", order=150)
def flags(parts: Parts, _notes: Notes) -> Json:
    """Return what a fleet counts most."""
    detectors = {finding.detector for finding in parts.findings}
    return {
        "bitflip": parts.verdict.corruption in ("strong", "proven-corruption"),
        "lock_inherited": "forked_child_lock" in detectors,
    }
