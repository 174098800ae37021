# SPDX-License-Identifier: Apache-2.0
"""Evidence of corruption as a report: what was found, weighed, tried, and left out.

It also runs the checks, by the options of the shell verb and the `epi` command.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdb_epi.corruption.context import DEFAULT_BYTES, SWEEP_BYTES, SWEEP_SECONDS, Budget
from gdb_epi.corruption.evidence import Evidence
from gdb_epi.corruption.possible_bit_flips import possible_bit_flips
from gdb_epi.corruption.record_section import corruption_group, damaged_word_candidates
from gdb_epi.corruption.registry import all_checks
from gdb_epi.corruption.run_checks import CheckResults, no_check_ran, reason_not_to_run, run_checks
from gdb_epi.corruption.score import (
    AMBIGUOUS,
    NONE,
    PROVEN,
    SOFTWARE_LIKE,
    STRONG,
    WEAK,
    is_sign_of_overwriting,
    load_weights,
    prior_log_odds,
    prior_name,
    probability_of_log_odds,
)
from gdb_epi.detectors.registry import hex_word, run_detectors
from gdb_epi.errors import EXIT_DONE, EXIT_INTERRUPTED
from gdb_epi.process_state import ProcessState
from gdb_epi.render.escape import unpad_addresses, wrap_text
from gdb_epi.render.fault_lines import word_place_text
from gdb_epi.render.report_json import to_json_value
from gdb_epi.report import Report
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted, names_by_reason

COLUMNS = ("#", "item", "where", "found", "corrected", "bits", "path", "weight")
MAX_BITS = 4  # that a line or a table cell names
MAX_CHECKS = 4  # that one line names
# What checks compare, where a part of that is often left out. All others are only counted.
LOOKED_AT = {
    "P": "pointers one bit away",
    "C4": "the way to the instruction",
    "C5": "the way to the instruction",
    "C6": "the way to the instruction",
    "R1": "strings and their hashes",
    "R2": "read-only pages and their files",
    "R3": "words that ld.so relocated",
    "R4": "stack canaries",
    "R5": "registers and what they were made from",
    "R6": "bytecode and its .pyc file",
    "R7": "malloc's blocks",
    "R8": "the collector's lists",
    "R9": "pymalloc's pools",
    "R10": "Python frames and their copies",
    "R12": "links of free malloc blocks",
    "R13": "types of objects",
    "R15": "items of containers",
    "R22": "the rest of code objects",
    "R23": "saved registers",
    "R24": "links of C lists and trees",
    "R32": "arrays and their buffers",
}
ANSWERS = {
    PROVEN: "Memory was damaged: two copies of one fact disagree.",
    STRONG: "Strong evidence of damaged memory, or of a wrong computation.",
    WEAK: "Weak evidence of damaged memory: not enough to act on.",
    AMBIGUOUS: "Cannot tell: damaged memory and a software bug make this same picture.",
    NONE: "No sign of damaged memory.",
    SOFTWARE_LIKE: "No sign of damaged memory; this looks like a software bug.",
}
OVERWRITTEN = "No flipped bits were found, but memory was overwritten."
OVERWRITTEN_BY_CODE = (
    "No flipped bits were found, but memory was overwritten: code of the program wrote there."
)
WHO_DAMAGED_IT = (
    "Who damaged it, the machine or a stray write of the program, one core cannot tell: more "
    "crashes of this host, or of this program elsewhere, decide (gdb-epi fleet suspects)."
)


def corruption_report(study: CheckResults, *, numbers: bool = False) -> Report:
    """Return the report of `epi corruption`; `numbers`: also weights, odds and names of checks."""
    if no_check_ran(study.skipped):
        why = f"{study.skipped[0].why}: its instructions are not decoded"
        return Report("corruption", lines=[why], data=corruption_json(study))
    lines = [*_interrupted_lines(study), *_score_lines(study), *_damaged_word_lines(study)]
    lines += [*_evidence_lines(study, named=numbers), *_unchecked_lines(study, named=numbers)]
    rows: list[tuple[object, ...]] = []
    if numbers:
        lines += ["", *_score_number_lines(study)]
        rows = [
            _evidence_row(number, evidence) for number, evidence in enumerate(study.evidence, 1)
        ]
    elif study.evidence:
        lines += ["", "What each of these weighs, and the names of the checks: --evidence"]
    return Report(
        "corruption",
        COLUMNS if rows else (),
        rows,
        lines=lines,
        data=corruption_json(study),
        soft_errors=study.soft_errors,
        exit_code=EXIT_DONE if study.interrupted is None else EXIT_INTERRUPTED,
    )


def corruption_json(study: CheckResults) -> dict[str, Any]:
    """Return what --json prints: the record's group, and every piece of evidence."""
    return {
        **corruption_group(study),
        "sweep": study.context.sweep,
        "interrupted": None if study.interrupted is None else study.interrupted._asdict(),
        "looked_at": dict(study.context.counts),
        "candidates": damaged_word_candidates(study),
        "groups": dict(study.score.groups),
        "probability": _posterior_probability(study),
        "tried": checks_that_ran(study),
        "evidence": [_evidence_json(evidence) for evidence in study.evidence],
        "soft_errors": [error._asdict() for error in study.soft_errors],
    }


def checks_that_ran(study: CheckResults) -> list[str]:
    """Return the names of the checks that ran, whole or in part."""
    if no_check_ran(study.skipped):
        return []
    unreached = study.interrupted.unreached if study.interrupted else ()
    ran = (check.name for check in all_checks() if reason_not_to_run(check, study.context) is None)
    return [name for name in ran if name not in unreached]


def _probability_text(value: float) -> str:
    """Return a probability as text that never says certain: 0.001, 0.94, 0.9978, > 0.9999."""
    if value < 0.0001:
        return "< 0.0001"
    if value >= 0.9999:
        return "> 0.9999"
    return f"{value:.2g}" if value < 0.99 else f"{value:.4g}"


def _posterior_probability(study: CheckResults) -> float:
    return round(probability_of_log_odds(study.score.prior + study.score.llr), 4)


def _interrupted_lines(study: CheckResults) -> list[str]:
    if study.interrupted is None:
        return []
    check, swept, unreached = study.interrupted
    done = ""
    if swept is not None:
        done = f" after {swept[0] >> 20:,} of {swept[1] >> 20:,} MiB of memory"
    what = LOOKED_AT.get(check, f"check {check}")
    lines = [f"INTERRUPTED{done}, at {what}: what follows is what was found until then"]
    if unreached:
        lines.append(f"not reached: {counted(len(unreached), 'check')} (--json has their names)")
    return [*lines, ""]


def _score_lines(study: CheckResults) -> list[str]:
    score = study.score
    answer = ANSWERS.get(score.word, score.word)
    if study.context.state.target.truncation().truncated:
        answer = answer.replace("damaged memory", "damaged memory in what is left of the core", 1)
    overwritten = any(map(is_sign_of_overwriting, study.score.against))
    if score.word in (NONE, SOFTWARE_LIKE) and overwritten:
        answer = OVERWRITTEN_BY_CODE if score.word == SOFTWARE_LIKE else OVERWRITTEN
    lines = wrap_text(answer)
    if score.ambiguous:
        lines += wrap_text(f"The same picture comes from {score.ambiguous}.")
    if score.word in (PROVEN, STRONG, WEAK) or (score.word == NONE and overwritten):
        lines += wrap_text(WHO_DAMAGED_IT)
    return lines


def _damaged_word_lines(study: CheckResults) -> list[str]:
    """Say which words differ from what they should be, each once."""
    words: dict[tuple[str, int, int], tuple[int, ...]] = {}
    for evidence in study.evidence:
        if evidence.found is not None and evidence.corrected is not None and evidence.bits:
            words[_address_text(evidence), evidence.found, evidence.corrected] = tuple(
                evidence.bits
            )
    lines = []
    for (place, found, corrected), bits in words.items():
        lines.append(f"{word_place_text(place)} holds {hex_word(found)}")
        if len(bits) > MAX_BITS:
            differs = f"{len(bits)} bits differ"
        else:
            differs = f"only {'bit' if len(bits) == 1 else 'bits'} {_bit_list(bits)} differ"
            differs += "s" if len(bits) == 1 else ""
        lines.append(f"  should be {hex_word(corrected)}; {differs}")
    if lines and study.score.word in (NONE, SOFTWARE_LIKE):
        lines.insert(0, "A sign of it, too weak to go by:")
    return ["", *map(unpad_addresses, lines)] if lines else []


def _bit_list(bits: Sequence[int]) -> str:
    texts = list(map(str, bits))
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _evidence_lines(study: CheckResults, *, named: bool) -> list[str]:
    """Say what was seen; `named`: by which check."""
    if not study.evidence:
        return []
    lines = ["", "What was seen"]
    width = max(len(evidence.id) for evidence in study.evidence)
    for evidence in study.evidence:
        head = f"  {evidence.id:<{width}}  " if named else "  - "
        lines += wrap_text(evidence.summary, head)
        if evidence.ambiguous:
            lines += wrap_text(f"the same picture comes from {evidence.ambiguous}", " " * len(head))
    return lines


def _unchecked_lines(study: CheckResults, *, named: bool) -> list[str]:
    """Say what could not be checked and why, and how much was; `named`: by which checks."""
    ran = checks_that_ran(study)
    lines = []
    reasons = names_by_reason((skipped.check, skipped.why) for skipped in study.skipped)
    for why, names in reasons.items():
        # A check that ran says here what it could not examine.
        partly = " (in part)" if ran and set(names) <= set(ran) else ""
        words = names if named else list(dict.fromkeys(LOOKED_AT.get(name, "") for name in names))
        if len(words) > MAX_CHECKS or not all(words):
            label = counted(len(names), "check")
        else:
            label = f"{', '.join(words)}{partly}"
        lines += wrap_text(f"{label}: {why}", "  ")
    looked_at = study.context.counts.items()
    counts = "; ".join(f"{what} {number:,}" for what, number in looked_at if number)
    lines = ["", "Not checked", *lines] if lines else lines
    return [*lines, "", *wrap_text(f"Looked at: {counts}")] if counts else lines


def _score_number_lines(study: CheckResults) -> list[str]:
    """Return the numbers behind the answer, for readers who know the weights."""
    score = study.score
    odds, chance = score.prior + score.llr, _posterior_probability(study)
    groups = ", ".join(f"{name or '?'} {value:+.2g}" for name, value in score.groups.items())
    lines = [
        "Numbers (log10; where each comes from: epi explain NAME)",
        f"  evidence {score.llr:+.2f} ({groups or 'of no group'}), prior {score.prior:g} "
        f"({prior_name(score.prior)}), odds {odds:+.2f}",
        *wrap_text(
            f"probability {_probability_text(chance)} that a word was damaged and not that the "
            "program is wrong, as far as the prior and the weights are right",
            "  ",
        ),
        f"  symptom: {study.symptom.name}; path: {score.path}; weights: {load_weights().version}",
        *wrap_text(f"checks that ran: {', '.join(checks_that_ran(study)) or 'none'}", "  "),
    ]
    if not_run := [s.check for s in study.skipped if s.check not in checks_that_ran(study)]:
        lines += wrap_text(f"checks that did not run: {', '.join(dict.fromkeys(not_run))}", "  ")
    # The result of rust-minidump's rule for the same core does not count here.
    flips = possible_bit_flips(study.context.state)
    best = max((flip.confidence for flip in flips), default=0.0)
    text = counted(len(flips), "possible bit flip")
    lines.append(f"  rust-minidump's rule, for comparison: {text}, highest confidence {best:.2f}")
    return lines


def _evidence_row(number: int, evidence: Evidence) -> tuple[object, ...]:
    weight = load_weights().items.get(evidence.id)
    if weight is None:
        weighs = "not in the table: 0"
    else:
        weighs = "0 (ambiguous)" if evidence.ambiguous else f"{weight.llr:+g}"
    bits = " ".join(map(str, evidence.bits)) or "-"
    if len(evidence.bits) > MAX_BITS:
        bits = f"{len(evidence.bits)} bits"
    elif len(evidence.bits) == 1 and evidence.found is not None:
        direction = "0->1" if evidence.found >> evidence.bits[0] & 1 else "1->0"
        bits = f"{evidence.bits[0]} ({direction})"
    return (
        number,
        evidence.id,
        _address_text(evidence),
        _hex_or_none(evidence.found),
        _hex_or_none(evidence.corrected),
        bits,
        evidence.path,
        weighs,
    )


def _address_text(evidence: Evidence) -> str:
    where = evidence.where
    return hex_word(where) if isinstance(where, int) else where or "-"


def _hex_or_none(word: int | None) -> str | None:
    return None if word is None else hex_word(word)


def _evidence_json(evidence: Evidence) -> dict[str, Any]:
    weight = load_weights().items.get(evidence.id)
    return {
        "id": evidence.id,
        "group": weight.group if weight else None,
        "llr": weight.llr if weight else 0.0,
        "origin": weight.origin if weight else None,
        "where": _address_text(evidence),
        "found": _hex_or_none(evidence.found),
        "corrected": _hex_or_none(evidence.corrected),
        "bits": list(evidence.bits),
        "path": evidence.path,
        "summary": evidence.summary,
        "ambiguous": evidence.ambiguous,
        "facts": to_json_value(dict(evidence.facts)),
    }


def run_detectors_and_checks(
    state: ProcessState,
    *,
    sweep: bool = False,
    seconds: float | None = None,
    size: int | None = None,
    prior: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CheckResults:
    """Run detectors and checks; `progress` gets (bytes done, bytes in all) of a sweep.

    Raises UsageError for an invalid prior.
    """
    log_odds = prior_log_odds(prior)
    findings, errors = run_detectors(state)
    if seconds is None and sweep:
        seconds = SWEEP_SECONDS
    budget = Budget(size or (SWEEP_BYTES if sweep else DEFAULT_BYTES), seconds)
    results = run_checks(
        state, findings, sweep=sweep, budget=budget, prior=log_odds, progress=progress
    )
    # What the core itself lacks comes first: nothing could be compared with it.
    return results._replace(soft_errors=(*state.target.soft_errors, *errors, *results.soft_errors))
