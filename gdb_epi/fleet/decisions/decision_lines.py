# SPDX-License-Identifier: Apache-2.0
"""What people decided about a signature and a host, as lines: for triage, `seen`, `fleet mark`."""

from __future__ import annotations

from collections.abc import Mapping

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
    Standing,
    Subject,
    read_standing,
)
from gdb_epi.fleet.decisions.fixes import DEFAULT_NAME, assess_fix, fix_words, version_in_record
from gdb_epi.fleet.records.values import text_or_none
from gdb_epi.fleet.store.days import utc_day_text
from gdb_epi.fleet.store.plain_sql import Execute
from gdb_epi.record.record_parts import group_in
from gdb_epi.typing_lite import Any

_HOST_WORDS = {
    SUSPECT: "a suspect", DRAINED: "drained", REPAIRED: "repaired", BACK: "back in service",
}  # fmt: skip
_MARKED = "SELECT DISTINCT name FROM mark WHERE about = 'host' ORDER BY name"


def signature_decision_lines(
    execute: Execute, kind: str, key: str, record: Mapping[str, Any] | None = None
) -> list[str]:
    """Return what people decided about a signature, as lines; none where nobody ever did.

    Given the record of a core, also how its version relates to the fix.
    """
    standing = read_standing(execute, Subject(SIGNATURE, kind, key))
    return _lines_of_signature(execute, standing, record)


def _lines_of_signature(
    execute: Execute, standing: Standing, record: Mapping[str, Any] | None
) -> list[str]:
    if standing.mark is None and not standing.history:
        return []
    words = []
    fix = assess_fix(execute, standing)
    if fix is not None:
        this = version_in_record(record, fix.version_of or DEFAULT_NAME) if record else None
        words.append(fix_words(fix, this))
    elif standing.state == IGNORED and standing.mark is not None:
        until = standing.mark.until
        words.append("ignored" if until is None else f"ignored until {utc_day_text(until - 1)}")
    elif standing.state in (NEW, ACKNOWLEDGED):
        words.append(standing.state if standing.state == ACKNOWLEDGED else "open again")
    return _lines_of_standing(standing, words)


def host_decision_lines(execute: Execute, name: str) -> list[str]:
    """Return what people decided about a host, as lines; none where nobody ever did."""
    standing = read_standing(execute, Subject(HOST, "", name))
    if standing.mark is None:
        standing = read_standing(execute, Subject(HOST, "", _marked_name(execute, name)))
    if standing.mark is None or standing.state == HEALTHY:
        return []
    return _lines_of_standing(
        standing, [f"host {name} is {_HOST_WORDS.get(standing.state, standing.state)}"]
    )


def _marked_name(execute: Execute, name: str) -> str:
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
    host = text_or_none(group_in(record, "host").get("hostname"))
    return lines + (host_decision_lines(execute, host) if host else [])


def _lines_of_standing(standing: Standing, words: list[str]) -> list[str]:
    since = standing.history[0].at if standing.subject.about == SIGNATURE else standing.since
    lines = ["; ".join([f"known since {utc_day_text(since)}", *words, *standing.care()])]
    if standing.note:
        lines.append(f"note: {standing.note}")
    return lines
