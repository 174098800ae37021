# SPDX-License-Identifier: Apache-2.0
"""What people decided about a signature and a host, as lines: for triage, `seen`, `fleet mark`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from gdb_epi.fleet.decisions.current_state import (
    ACKNOWLEDGED,
    BACK,
    DRAINED,
    HEALTHY,
    HOST,
    IGNORED,
    NEW,
    REPAIRED,
    SIGNATURE,
    SUSPECT,
    CurrentState,
    DecisionSubject,
    read_current_state,
    read_current_states,
)
from gdb_epi.fleet.decisions.fix_assessment import (
    DEFAULT_NAME,
    assess_fix,
    describe_fix,
    read_version,
)
from gdb_epi.fleet.records.values import text_or_none
from gdb_epi.fleet.store.day_numbers import utc_day_text
from gdb_epi.fleet.store.plain_sql import Execute
from gdb_epi.record.record_parts import get_group
from gdb_epi.typing_lite import Any

if TYPE_CHECKING:
    from gdb_epi.fleet.screen.finding import Finding

_HOST_WORDS = {
    SUSPECT: "a suspect", DRAINED: "drained", REPAIRED: "repaired", BACK: "back in service",
}  # fmt: skip
_DECIDED = (
    "SELECT id, attr, value, signature, state FROM finding"
    " WHERE state IN ('confirmed', 'dismissed') ORDER BY id"
)
_TEXT = "SELECT min(text) FROM sig WHERE kind = :kind AND key = :name"
_MARKED = "SELECT DISTINCT name FROM mark WHERE about = 'host' ORDER BY name"


def signature_decision_lines(
    execute: Execute, kind: str, key: str, record: Mapping[str, Any] | None = None
) -> list[str]:
    """Return what people decided about a signature, as lines; none where nobody ever did.

    Given the record of a core, also how its version relates to the fix.
    """
    current = read_current_state(execute, DecisionSubject(SIGNATURE, kind, key))
    if current.mark is None and not current.history:
        return []
    words = []
    fix = assess_fix(execute, current)
    if fix is not None:
        this = read_version(record, fix.version_of or DEFAULT_NAME) if record else None
        words.append(describe_fix(fix, this))
    elif current.state == IGNORED and current.mark is not None:
        until = current.mark.until
        words.append("ignored" if until is None else f"ignored until {utc_day_text(until - 1)}")
    elif current.state in (NEW, ACKNOWLEDGED):
        words.append(current.state if current.state == ACKNOWLEDGED else "open again")
    return _lines_of_state(current, words)


def host_decision_lines(execute: Execute, name: str) -> list[str]:
    """Return what people decided about a host, as lines; none where nobody ever did."""
    current = read_current_state(execute, DecisionSubject(HOST, "", name))
    if current.mark is None:
        current = read_current_state(
            execute, DecisionSubject(HOST, "", _spelling_of_marked_host(execute, name))
        )
    if current.mark is None or current.state == HEALTHY:
        return []
    return _lines_of_state(
        current, [f"host {name} is {_HOST_WORDS.get(current.state, current.state)}"]
    )


def _spelling_of_marked_host(execute: Execute, name: str) -> str:
    """Return the spelling under which a host was marked (case, domain), else its name."""
    marked = [row[0] for row in execute(_MARKED, {})]
    if not marked:
        return name
    from gdb_epi.fleet.population.host_spelling import match_spellings, read_host_names

    same = match_spellings([name], marked)
    if same:  # it could be any of several hosts with this label
        same = match_spellings([name], [*marked, *read_host_names(execute)])
    return next((other for other in marked if other in same), name)


def decision_lines_of_record(
    execute: Execute, kind: str, key: str, record: Mapping[str, Any]
) -> list[str]:
    """Return what was decided about the signature and the host of a record."""
    lines = signature_decision_lines(execute, kind, key, record) if key else []
    host = text_or_none(get_group(record, "host").get("hostname"))
    return lines + (host_decision_lines(execute, host) if host else [])


def decided_finding_lines(execute: Execute, findings: Iterable[Finding]) -> list[str]:
    """Say which of today's findings, and of their signatures, somebody has decided about.

    Absent when nobody decided: the list is empty then.
    """
    from gdb_epi.fleet.screen.finding import finding_identity
    from gdb_epi.render.signature_words import WHERE

    decided = {finding_identity(*row[1:4]): (row[0], row[4]) for row in execute(_DECIDED, {})}
    lines, signatures = [], set()
    for finding in findings:
        signatures.add(finding.signature.partition(WHERE)[0])
        number, state = decided.pop(finding_identity(*finding.identity), (0, ""))
        if state:
            lines.append(f"{state} before: {finding.attr}={finding.value} (finding {number})")
    for kind, key in (subject[1:] for subject in read_current_states(execute, SIGNATURE)):
        text = next(iter(execute(_TEXT, {"kind": kind, "name": key})))[0]
        if text in signatures:
            lines += (f"{key}: {line}" for line in signature_decision_lines(execute, kind, key)[:1])
    return lines


def _lines_of_state(current: CurrentState, words: list[str]) -> list[str]:
    mark = current.mark or current.history[-1]
    # The day of the decision, which is not when the crash was first seen.
    marked = f"marked by {mark.who} on {utc_day_text(mark.at)}"
    lines = ["; ".join([*words, marked, *current.owner_and_ticket()])]
    if current.note:
        lines.append(f"note: {current.note}")
    return lines
