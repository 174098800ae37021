# SPDX-License-Identifier: Apache-2.0
"""Events of one signature as one entry: a job that dies every Sunday is one story, not eleven."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.fleet.screen.finding import EVENT, MOMENTS, Finding

MIN_ALIKE = 3  # events of one signature, from which on they are told together


def group_alike_events(findings: Sequence[Finding]) -> list[tuple[Finding, tuple[Finding, ...]]]:
    """Return each finding with the events that it stands for; the order stays.

    What says when the crashes of a signature come (an hour, a weekday) goes before its events.
    """
    events: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.attr == EVENT and not finding.signature.startswith("*"):
            events.setdefault(finding.signature, []).append(finding)
    many = {name: some for name, some in events.items() if len(some) >= MIN_ALIKE}
    moments = [f for f in findings if f.attr in MOMENTS and f.signature in many]
    told: list[tuple[Finding, tuple[Finding, ...]]] = []
    for finding in findings:
        mine = many.get(finding.signature, []) if finding.attr == EVENT else []
        if any(finding is moment for moment in moments):
            continue
        if not mine:
            told.append((finding, ()))
            continue
        largest = max(mine, key=lambda f: f.n)
        if finding is mine[0]:
            told += [(f, ()) for f in moments if f.signature == finding.signature]
            told.append((largest, tuple(f for f in mine if f is not largest)))
    return told


def alike_events_words(others: Sequence[Finding]) -> str:
    """Say how many events like it there were; the value of each says when."""
    days = sorted(event.value.split(" ", 1)[0] for event in others)
    crashes = sum(event.n for event in others)
    return f"{len(others)} more events like it, {crashes} crashes, from {days[0]} to {days[-1]}"
