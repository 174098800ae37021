# SPDX-License-Identifier: Apache-2.0
"""The verdict of a stored record, judged anew by this version's rules, without the core.

The verdict rests on the category, the findings and the evidence of corruption. Records of model 2
hold all three. Older ones hold of the evidence only what names a wrong word and a right one: where
that gives another score than the one that was stored, the rest is missing, and the record keeps the
verdict that it has. What a newer detector or check would find in the core no record tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdb_epi.corruption.evidence import MARKS, UNKNOWN, Evidence, changed_bits
from gdb_epi.corruption.score import Score, compute_score
from gdb_epi.detectors.registry import Finding
from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.judgement.calibration import RuleCounts, calibration_version
from gdb_epi.judgement.labels import MODEL
from gdb_epi.judgement.verdict import Verdict, judge_core
from gdb_epi.record.groups.verdict import recompute_flags, verdict_json
from gdb_epi.record.record_parts import get_group, get_groups
from gdb_epi.typing_lite import Any, NamedTuple

FIRST_MODEL = 1  # of records that do not say
MAX_PREVIOUS = 8
KEPT = ("model", "label", "confidence", "calibration")
SIGN = "S:"  # the ids of what speaks for software

Json = dict[str, Any]
Stored = Mapping[str, Any]


class VerdictBasis(NamedTuple):
    """What a verdict rests on, as a record holds it."""

    category: str
    findings: tuple[Finding, ...]
    score: Score


class RejudgedVerdict(NamedTuple):
    """The verdict and flags made anew; `verdict` is None when nothing changes.

    `unable` says why the record does not suffice, "" when it does.
    """

    verdict: Json | None
    flags: Json
    unable: str


def read_verdict_model(record: Stored) -> int | None:
    """Return the model of a record's verdict; None for a record without one."""
    verdict = record.get("verdict")
    if not isinstance(verdict, dict) or not isinstance(verdict.get("label"), str):
        return None
    model = verdict.get("model")
    return model if isinstance(model, int) and not isinstance(model, bool) else FIRST_MODEL


def rejudge(record: Stored) -> RejudgedVerdict:
    """Return the verdict of a record by the rules of this version."""
    old, model = get_group(record, "verdict"), read_verdict_model(record)
    if model is None:
        return RejudgedVerdict(None, {}, "")  # a minimal record: nobody judged
    if model > MODEL:
        return RejudgedVerdict(
            None, {}, f"its verdict is of model {model}, which this version is not"
        )
    if model == MODEL and old.get("calibration") == calibration_version():
        return RejudgedVerdict(None, {}, "")
    case = stored_verdict_basis(record)
    if isinstance(case, Absent):
        return RejudgedVerdict(None, {}, case.detail)
    judged = get_group(old, "damage").get("judged") is not False
    verdict = verdict_json(judge_basis(case), judged_damage=judged)
    earlier = old.get("previous")
    kept = {name: old[name] for name in KEPT if name in old}
    before = earlier if isinstance(earlier, list) else []
    verdict["previous"] = [kept, *before][:MAX_PREVIOUS] if model != MODEL else before
    if not verdict["previous"]:
        del verdict["previous"]
    return RejudgedVerdict(verdict, recompute_flags(case.score, get_group(record, "flags")), "")


def judge_basis(case: VerdictBasis, table: Mapping[str, RuleCounts] | None = None) -> Verdict:
    """Return the verdict on what a record holds; `table` stands in for the shipped counts."""
    import gdb_epi.detectors
    from gdb_epi.loader import import_all_modules

    import_all_modules(gdb_epi.detectors)  # they say what their findings are evidence for
    return judge_core(*case, table)


def stored_verdict_basis(record: Stored) -> VerdictBasis | Absent:
    """Return what a record's verdict rests on. Absent when it does not hold all of it."""
    category = get_group(record, "signature").get("category")
    group = get_group(record, "corruption")
    if not isinstance(category, str):
        return Absent(NOT_AVAILABLE, "the record has no category")
    if not group:
        return Absent(NOT_AVAILABLE, "the record has no evidence of corruption")
    findings = tuple(map(_stored_finding, get_groups(record, "findings")))
    if isinstance(group.get("evidence"), list):
        score = compute_score(list(map(_stored_evidence, get_groups(group, "evidence"))))
        score = score._replace(tied=group.get("tied") is not False)
        return VerdictBasis(category, findings, score)
    scored = compute_score(list(_evidence_of_model_1(group)))
    if scored.word != group.get("word"):
        return Absent(NOT_AVAILABLE, "the record does not hold all evidence of its verdict")
    return VerdictBasis(category, findings, scored)


def _stored_finding(stored: Stored) -> Finding:
    facts, summary = get_group(stored, "facts"), _text_or_empty(stored, "summary")
    return Finding(
        _text_or_empty(stored, "detector"), _text_or_empty(stored, "subject"), facts, summary
    )


def _stored_evidence(stored: Stored) -> Evidence:
    found, corrected = (
        _parse_hex_word(stored.get("found")),
        _parse_hex_word(stored.get("corrected")),
    )
    both = found is not None and corrected is not None
    rivals, ambiguous = stored.get("rivals"), stored.get("ambiguous")
    return Evidence(
        _text_or_empty(stored, "id"),
        _address_or_text(stored.get("where")),
        found,
        corrected,
        changed_bits(found or 0, corrected or 0) if both else (),
        _text_or_empty(stored, "path") or UNKNOWN,
        _text_or_empty(stored, "summary"),
        {"rivals": rivals if isinstance(rivals, int) else 1, MARKS: _text_or_empty(stored, MARKS)},
        ambiguous if isinstance(ambiguous, str) else None,
    )


def _evidence_of_model_1(group: Stored) -> Iterator[Evidence]:
    """Yield what a record of model 1 holds: pairs of words, and the signs of software."""
    path = _text_or_empty(group, "path") or UNKNOWN
    ambiguous = group.get("ambiguous")
    for candidate in get_groups(group, "candidates"):
        for name in _list_or_empty(candidate.get("evidence")):
            yield _stored_evidence({**candidate, "id": name, "path": path, "ambiguous": ambiguous})
    for name in _list_or_empty(group.get("against")):
        if isinstance(name, str) and name.startswith(SIGN):
            yield Evidence(name, "", None, None, (), UNKNOWN, f"a sign of software: {name}", {})


def _address_or_text(value: object) -> int | str:
    word = _parse_hex_word(value)
    return word if word is not None else value if isinstance(value, str) else ""


def _parse_hex_word(value: object) -> int | None:
    """Return a number that a record holds as hex digits; None for anything else."""
    if not isinstance(value, str) or not value.startswith("0x"):
        return None
    try:
        return int(value[:18], 16)
    except ValueError:
        return None


def _text_or_empty(stored: Stored, name: str) -> str:
    value = stored.get(name)
    return value if isinstance(value, str) else ""


def _list_or_empty(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
