# SPDX-License-Identifier: Apache-2.0
"""Evidence of corruption as a report: what was found, weighed, tried, and left out.

Run the checks as the user asked: prior, budget and progress by the options' words.
"""

from __future__ import annotations

from collections.abc import Callable

from gdb_epi.corruption.context import (
    DEFAULT_BYTES,
    SWEEP_BYTES,
    SWEEP_SECONDS,
    Budget,
)
from gdb_epi.corruption.evidence import Evidence
from gdb_epi.corruption.minidump_rule import possible_bit_flips
from gdb_epi.corruption.record_group import candidates, corruption_group
from gdb_epi.corruption.registry import all_checks
from gdb_epi.corruption.run import CheckResults, run_checks, why_not
from gdb_epi.corruption.score import (
    AMBIGUOUS,
    NONE,
    PROVEN,
    SOFTWARE_LIKE,
    STRONG,
    WEAK,
    prior_name,
    prior_of,
    probability,
    weights,
)
from gdb_epi.detectors.findings import hex_word, run_detectors
from gdb_epi.errors import EXIT_DONE, EXIT_INTERRUPTED, UsageError
from gdb_epi.process_state import ProcessState
from gdb_epi.render.json import plain
from gdb_epi.report import Report
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted

COLUMNS = ("#", "item", "where", "found", "corrected", "bits", "path", "weight")
MAX_BITS = 4  # that a table cell names
MEANING = {
    PROVEN: "two copies of one fact disagree; a wild store can do that too, so look for the same"
    " on this host",
    STRONG: "much speaks for damage; one core alone never says hardware, look for more on this"
    " host",
    WEAK: "something speaks for damage, not enough to act on",
    AMBIGUOUS: "damage and a named kind of software bug make this very picture",
    NONE: "nothing that was checked speaks for damage",
    SOFTWARE_LIKE: "this looks like a software bug",
}


def corruption_report(found: CheckResults) -> Report:
    """Return the report of `epi corruption`."""
    rows = [_row(number, one) for number, one in enumerate(found.evidence, 1)]
    parts = (_interrupted, _verdict, _compared, _tried, _baseline)
    return Report(
        "corruption",
        COLUMNS if rows else (),
        rows,
        lines=[line for part in parts for line in part(found)],
        data=corruption_json(found),
        soft_errors=found.soft_errors,
        exit_code=EXIT_DONE if found.interrupted is None else EXIT_INTERRUPTED,
    )


def corruption_json(found: CheckResults) -> dict[str, Any]:
    """Return what --json prints: the record's group, and every piece of evidence."""
    return {
        **corruption_group(found),
        "sweep": found.context.sweep,
        "interrupted": None if found.interrupted is None else found.interrupted._asdict(),
        "looked_at": dict(found.context.counts),
        "candidates": candidates(found),
        "groups": dict(found.score.groups),
        "probability": _probability(found),
        "tried": tried(found),
        "evidence": [_evidence_json(one) for one in found.evidence],
        "soft_errors": [error._asdict() for error in found.soft_errors],
    }


def tried(found: CheckResults) -> list[str]:
    """Return the names of the checks that ran, whole or in part."""
    unreached = found.interrupted.unreached if found.interrupted else ()
    ran = (one.name for one in all_checks() if why_not(one, found.context) is None)
    return [name for name in ran if name not in unreached]


def _chance(value: float) -> str:
    """Return a probability as text that never says certain: 0.001, 0.94, 0.9978, > 0.9999."""
    if value < 0.0001:
        return "< 0.0001"
    if value >= 0.9999:
        return "> 0.9999"
    return f"{value:.2g}" if value < 0.99 else f"{value:.4g}"


def _probability(found: CheckResults) -> float:
    return round(probability(found.score.prior + found.score.llr), 4)


def _interrupted(found: CheckResults) -> list[str]:
    if found.interrupted is None:
        return []
    check, swept, unreached = found.interrupted
    done = ""
    if swept is not None:
        done = f" after {swept[0] >> 20:,} of {swept[1] >> 20:,} MiB of memory"
    lines = [f"INTERRUPTED in {check}{done}: what follows is what was found until then"]
    if unreached:
        lines.append(f"not reached: {', '.join(unreached)}")
    return [*lines, ""]


def _verdict(found: CheckResults) -> list[str]:
    score = found.score
    odds, chance = score.prior + score.llr, _probability(found)
    groups = ", ".join(f"{name or '?'} {value:+.2g}" for name, value in score.groups.items())
    lines = [
        f"{score.word}: {MEANING.get(score.word, '')}",
        f"evidence {score.llr:+.2f} ({groups or 'of no group'}), prior {score.prior:g} "
        f"({prior_name(score.prior)}): log10 odds {odds:+.2f}",
        f"that is a probability of {_chance(chance)} that memory or the CPU failed, as far as the "
        "prior and the weights are right; one core is no proof",
        f"symptom: {found.symptom.name}; path: {score.path}; weights: {weights().version}",
    ]
    if score.ambiguous:
        lines.append(f"the same picture comes from: {score.ambiguous}")
    return lines


def _compared(found: CheckResults) -> list[str]:
    if not found.evidence:
        return []
    lines = ["", "what was compared:"]
    for number, one in enumerate(found.evidence, 1):
        lines.append(f"  {number}. {one.summary}")
        if one.ambiguous:
            lines.append(f"     ambiguous: {one.ambiguous}")
    return [*lines, ""]


def _tried(found: CheckResults) -> list[str]:
    ran = tried(found)
    lines = [f"checks that ran: {', '.join(ran) or 'none'}"]
    whys: dict[str, list[str]] = {}
    for one in found.skipped:
        whys.setdefault(one.why, []).append(one.check)
    for why, names in whys.items():
        # A check that ran says here what it could not look at.
        said = "not checked by what ran" if ran and set(names) <= set(ran) else "not checked"
        lines.append(f"{said}: {', '.join(names)}: {why}")
    counts = ", ".join(f"{number:,} {what}" for what, number in found.context.counts.items())
    return [*lines, f"looked at: {counts}"] if counts else lines


def _baseline(found: CheckResults) -> list[str]:
    """Say what rust-minidump's rule makes of the same core; it counts nothing here."""
    flips = possible_bit_flips(found.context.state)
    best = max((one.confidence for one in flips), default=0.0)
    text = counted(len(flips), "possible bit flip")
    return [f"rust-minidump's rule, for comparison: {text}, highest confidence {best:.2f}"]


def _row(number: int, one: Evidence) -> tuple[object, ...]:
    return (
        number,
        one.id,
        _place(one),
        None if one.found is None else hex_word(one.found),
        None if one.corrected is None else hex_word(one.corrected),
        _bits(one),
        one.path,
        _weight(one),
    )


def _place(one: Evidence) -> str:
    return hex_word(one.where) if isinstance(one.where, int) else one.where or "-"


def _bits(one: Evidence) -> str:
    if len(one.bits) > MAX_BITS:
        return f"{len(one.bits)} bits"
    if len(one.bits) == 1 and one.found is not None:
        direction = "0->1" if one.found >> one.bits[0] & 1 else "1->0"
        return f"{one.bits[0]} ({direction})"
    return " ".join(map(str, one.bits)) or "-"


def _weight(one: Evidence) -> str:
    item = weights().items.get(one.id)
    if item is None:
        return "not in the table: 0"
    return "0 (ambiguous)" if one.ambiguous else f"{item.llr:+g}"


def _evidence_json(one: Evidence) -> dict[str, Any]:
    item = weights().items.get(one.id)
    return {
        "id": one.id,
        "group": item.group if item else None,
        "llr": item.llr if item else 0.0,
        "origin": item.origin if item else None,
        "where": _place(one),
        "found": None if one.found is None else hex_word(one.found),
        "corrected": None if one.corrected is None else hex_word(one.corrected),
        "bits": list(one.bits),
        "path": one.path,
        "summary": one.summary,
        "ambiguous": one.ambiguous,
        "facts": plain(dict(one.facts)),
    }


def run_study(
    state: ProcessState,
    *,
    sweep: bool = False,
    seconds: float | None = None,
    size: int | None = None,
    prior: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CheckResults:
    """Run detectors and checks; `progress` gets (bytes done, bytes in all) of a sweep.

    Raises UsageError for a budget or prior that is none.
    """
    value = prior_of(prior)
    if size is not None and size <= 0:
        raise UsageError(f"--budget {size}: not a number of bytes", hint="--budget 1000000000")
    if seconds is not None and not seconds > 0:
        raise UsageError(f"--seconds {seconds:g}: not a time", hint="--seconds 60")
    findings, errors = run_detectors(state)
    if seconds is None and sweep:
        seconds = SWEEP_SECONDS
    budget = Budget(size or (SWEEP_BYTES if sweep else DEFAULT_BYTES), seconds)
    found = run_checks(state, findings, sweep=sweep, budget=budget, prior=value, progress=progress)
    # What the core itself lacks comes first: nothing was compared with that.
    return found._replace(soft_errors=(*state.target.soft_errors, *errors, *found.soft_errors))
