# SPDX-License-Identifier: Apache-2.0
"""What people decided of a signature and a host, in words: for triage, `seen` and `fleet mark`."""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.fleet.life.fixes import DEFAULT_NAME, fix_words, judge_fix, version_in_record
from gdb_epi.fleet.life.marks import (
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
    standing_of,
)
from gdb_epi.fleet.records.values import text
from gdb_epi.fleet.store.days import day_of
from gdb_epi.fleet.store.sql_without_sqlalchemy import Execute
from gdb_epi.record.reading import group_in
from gdb_epi.typing_lite import Any

_HOST_WORDS = {
    SUSPECT: "a suspect", DRAINED: "drained", REPAIRED: "repaired", BACK: "back in service",
}  # fmt: skip
_MARKED = "SELECT DISTINCT name FROM mark WHERE about = 'host' ORDER BY name"


def signature_words(
    execute: Execute, kind: str, key: str, record: Mapping[str, Any] | None = None
) -> list[str]:
    """Return what people decided of a signature, a line each; none where nobody ever did.

    With the record of a core, also how its version stands to the fix.
    """
    held = standing_of(execute, Subject(SIGNATURE, kind, key))
    return _of_signature(execute, held, record)


def _of_signature(execute: Execute, held: Standing, record: Mapping[str, Any] | None) -> list[str]:
    if held.mark is None and not held.history:
        return []
    words = []
    fix = judge_fix(execute, held)
    if fix is not None:
        this = version_in_record(record, fix.version_of or DEFAULT_NAME) if record else None
        words.append(fix_words(fix, this))
    elif held.state == IGNORED and held.mark is not None:
        until = held.mark.until
        words.append("ignored" if until is None else f"ignored until {day_of(until - 1)}")
    elif held.state in (NEW, ACKNOWLEDGED):
        words.append(held.state if held.state == ACKNOWLEDGED else "open again")
    return _sentence(held, words)


def host_words(execute: Execute, name: str) -> list[str]:
    """Return what people decided of a host, a line each; none where nobody ever did."""
    held = standing_of(execute, Subject(HOST, "", name))
    if held.mark is None:
        held = standing_of(execute, Subject(HOST, "", _marked_name(execute, name)))
    if held.mark is None or held.state == HEALTHY:
        return []
    return _sentence(held, [f"host {name} is {_HOST_WORDS.get(held.state, held.state)}"])


def _marked_name(execute: Execute, name: str) -> str:
    """Return the spelling under which a host was marked (case, domain), else its name."""
    marked = [row[0] for row in execute(_MARKED, {})]
    if not marked:
        return name
    from gdb_epi.fleet.population.host_spelling import names_of_hosts, spelt_like

    same = spelt_like([name], marked)
    if same:  # of several hosts with this label it could be any
        same = spelt_like([name], [*marked, *names_of_hosts(execute)])
    return next((other for other in marked if other in same), name)


def decisions_on_record(
    execute: Execute, kind: str, key: str, record: Mapping[str, Any]
) -> list[str]:
    """Return what was decided of the signature and the host of a record."""
    lines = signature_words(execute, kind, key, record) if key else []
    host = text(group_in(record, "host").get("hostname"))
    return lines + (host_words(execute, host) if host else [])


def _sentence(held: Standing, words: list[str]) -> list[str]:
    since = held.history[0].at if held.subject.about == SIGNATURE else held.since
    lines = ["; ".join([f"known since {day_of(since)}", *words, *held.care()])]
    if held.note:
        lines.append(f"note: {held.note}")
    return lines
