# SPDX-License-Identifier: Apache-2.0
"""The states of signatures and hosts on the page."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.fleet.decisions.current_state import SIGNATURE
from gdb_epi.fleet.decisions.fixes import describe_fix
from gdb_epi.fleet.decisions.states import StateWithCrashes, failed_fixes
from gdb_epi.fleet.report.page import StateRow
from gdb_epi.fleet.store.day_numbers import utc_day_text
from gdb_epi.render.signature_words import parse_signature_line
from gdb_epi.util import counted

MAX_STATES = 200
MAX_HISTORY = 20  # decisions of one row, the latest


def state_rows(states: Sequence[StateWithCrashes]) -> tuple[StateRow, ...]:
    """Return the rows; what needs a person comes first."""
    return tuple(_row(state) for state in states[:MAX_STATES])


def regressed_words(states: Sequence[StateWithCrashes]) -> str | None:
    """Say how many fixed signatures crash again; None when none does."""
    again = failed_fixes(states)
    if not again:
        return None
    first, fix = again[0]
    many = f"{counted(len(again), 'fixed signature')} crash again" if len(again) > 1 else ""
    first_text = f"{first.current.subject.name} was {describe_fix(fix)}"
    return (
        f"{many}, the first: {first_text}."
        if many
        else f"A fixed signature crashes again: {first_text}."
    )


def _row(state: StateWithCrashes) -> StateRow:
    held = state.current
    is_signature = held.subject.about == SIGNATURE
    what = [describe_fix(state.fix)] if state.fix is not None else []
    if held.mark is not None and held.mark.until is not None:
        what.append(f"until {utc_day_text(held.mark.until - 1)}")
    what += [held.note] if held.note else []
    history = [f"{utc_day_text(mark.at)} {mark.words()}" for mark in held.history[-MAX_HISTORY:]]
    return StateRow(
        about=held.subject.about,
        name=held.subject.name,
        words=parse_signature_line(state.text, None) if is_signature else None,
        state=state.state,
        since=utc_day_text(held.since),
        what="; ".join(what),
        owner=", ".join(part for part in (held.owner, held.ticket) if part),
        crashes=state.crashes,
        history=tuple(history),
    )
