# SPDX-License-Identifier: Apache-2.0
"""Events of one signature as one entry: a job that dies every Sunday is one story, not eleven.

So is a loop that goes with its program from host to host.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.fleet.screen.finding import (
    CLUSTERED_CRASHES,
    EVENT,
    LOOP_OF,
    TIME_AND_CPU_ATTRIBUTES,
    Finding,
)
from gdb_epi.util import counted

MIN_ALIKE = {EVENT: 3, LOOP_OF: 2}  # of one signature, from which on they are told together


def group_recurring_events(
    findings: Sequence[Finding],
) -> list[tuple[Finding, tuple[Finding, ...]]]:
    """Return each finding with the events that it stands for; the order stays.

    What says when the crashes of a signature come (an hour, a weekday) goes before its events.
    """
    alike: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.attr in CLUSTERED_CRASHES and not finding.signature.startswith("*"):
            alike.setdefault((finding.attr, finding.signature), []).append(finding)
    many = {key: some for key, some in alike.items() if len(some) >= MIN_ALIKE[key[0]]}
    moments = [
        f for f in findings if f.attr in TIME_AND_CPU_ATTRIBUTES and (EVENT, f.signature) in many
    ]
    told: list[tuple[Finding, tuple[Finding, ...]]] = []
    for finding in findings:
        mine = many.get((finding.attr, finding.signature), [])
        if any(finding is moment for moment in moments):
            continue
        if not mine:
            told.append((finding, ()))
            continue
        largest = max(mine, key=lambda f: f.n)
        if finding is mine[0]:
            if finding.attr == EVENT:
                told += [(f, ()) for f in moments if f.signature == finding.signature]
            told.append((largest, tuple(f for f in mine if f is not largest)))
    return told


def describe_recurrence(others: Sequence[Finding]) -> str:
    """Say how many events, or loops, like it there were; the value of an event says when."""
    crashes = sum(event.n for event in others)
    if others[0].attr == LOOP_OF:
        return f"{counted(len(others), 'more host')} with such a loop, {crashes} crashes"
    days = sorted(event.value.split(" ", 1)[0] for event in others)
    return f"{len(others)} more events like it, {crashes} crashes, from {days[0]} to {days[-1]}"
