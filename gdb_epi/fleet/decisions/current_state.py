# SPDX-License-Identifier: Apache-2.0
"""What was decided about a signature, a host or a finding: by whom, when, and what holds now.

Each decision is a row of `mark` that never changes, so the rows are the history. Reading is
plain SQL: `epi seen` asks inside GDB, without SQLAlchemy.
"""

from __future__ import annotations

import os
import pwd
import time
from collections.abc import Iterable
from contextlib import suppress
from math import inf

from gdb_epi.fleet.records.values import text_or_none
from gdb_epi.fleet.store.plain_sql import Execute
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sqlalchemy import Connection

SIGNATURE, HOST, FINDING = "signature", "host", "finding"
NEW, ACKNOWLEDGED, FIXED, REGRESSED, IGNORED = SIGNATURE_STATES = (
    "new", "acknowledged", "fixed", "regressed", "ignored",
)  # fmt: skip
HEALTHY, SUSPECT, DRAINED, REPAIRED, BACK = HOST_STATES = (
    "healthy", "suspect", "drained", "repaired", "back",
)  # fmt: skip
NOTED = "noted"  # no state: an owner, a ticket or a note is added, and the state stays
# The states that a person may set, in words; FIXED needs a version as well, IGNORED a day.
STATE_WORDS = {
    SIGNATURE: {ACKNOWLEDGED: "somebody knows of it", NEW: "as if nobody had decided"},
    HOST: {
        SUSPECT: "look at this host", DRAINED: "nothing runs there",
        REPAIRED: "its hardware was mended", BACK: "it works again",
        HEALTHY: "as if nothing had been",
    },
}  # fmt: skip
INITIAL_STATES = {SIGNATURE: NEW, HOST: HEALTHY, FINDING: "open"}
TOOL = "gdb-epi fleet screen"  # who decided, if not a person
MAX_WORDS = 4_000  # characters of a note, an owner or a ticket

_COLUMNS = (
    "about", "kind", "name", "at", "who", "state", "version", "version_of", "owner", "ticket",
    "note", "until",
)  # fmt: skip
# With the table's name: `at` alone is a keyword of DuckDB.
_MARKS = f"SELECT {', '.join(f'mark.{name}' for name in _COLUMNS)} FROM mark"
_OF_ONE = f"{_MARKS} WHERE about = :about AND kind = :kind AND name = :name ORDER BY id"
_OF_ALL = f"{_MARKS} WHERE about = :about ORDER BY id"


class DecisionSubject(NamedTuple):
    """What a decision is about. `kind` is that of a signature's key, else empty."""

    about: str
    kind: str
    name: str


class StoredDecision(NamedTuple):
    """One decision. Times are seconds since the epoch; what was not said is None."""

    subject: DecisionSubject
    at: float
    who: str
    state: str
    version: str | None = None  # FIXED: in which; REGRESSED: on which it crashed again
    version_of: str | None = None  # the attribute, fact or package that has this version
    owner: str | None = None
    ticket: str | None = None
    note: str | None = None
    until: float | None = None  # IGNORED: until then

    def words(self) -> str:
        """Return it as a line of a history, "ann: fixed version 2.3: the note"."""
        parts = (self.state, self.version_of, self.version)
        note = f": {self.note}" if self.note else ""
        return f"{self.who}: {' '.join(filter(None, parts))}{note}"


class CurrentState(NamedTuple):
    """What holds of a subject now: its state, since when, and the history, oldest first."""

    subject: DecisionSubject
    state: str
    since: float | None  # None: nobody ever decided
    who: str
    owner: str | None
    ticket: str | None
    note: str | None
    mark: StoredDecision | None  # the decision that holds
    history: tuple[StoredDecision, ...]

    def owner_and_ticket(self) -> list[str]:
        """Return the owner and the ticket, as far as they are set."""
        return list(filter(None, (self.owner and f"owner {self.owner}", self.ticket)))


def compute_state_at(
    subject: DecisionSubject, history: Iterable[StoredDecision], now: float
) -> CurrentState:
    """Return what holds at a moment; IGNORED ends by itself, and the state before it holds again.

    An owner or ticket stays until another one is named; a note belongs to its decision, or was
    added to it.
    """
    marks = tuple(history)
    held = None
    owner = ticket = note = None
    for mark in marks:
        owner, ticket = mark.owner or owner, mark.ticket or ticket
        if mark.state == NOTED:
            note = mark.note or note
        elif mark.state != IGNORED or mark.until is None or now < mark.until:
            held, note = mark, mark.note
    if held is None:
        return CurrentState(
            subject, INITIAL_STATES[subject.about], None, "", owner, ticket, note, None, marks
        )
    return CurrentState(subject, held.state, held.at, held.who, owner, ticket, note, held, marks)


def read_current_state(
    execute: Execute, subject: DecisionSubject, now: float | None = None
) -> CurrentState:
    """Ask the database what holds of one subject."""
    rows = execute(_OF_ONE, subject._asdict())
    moment = time.time() if now is None else now
    return compute_state_at(subject, map(_stored_decision, rows), moment)


def read_current_states(
    execute: Execute, about: str, now: float | None = None, until: float = inf
) -> dict[DecisionSubject, CurrentState]:
    """Return what holds for every subject of a kind about which anything was decided `until` then.

    By default that is ever.
    """
    histories: dict[DecisionSubject, list[StoredDecision]] = {}
    for row in execute(_OF_ALL, {"about": about}):
        mark = _stored_decision(row)
        if mark.at >= until:
            continue
        histories.setdefault(mark.subject, []).append(mark)
    moment = time.time() if now is None else now
    return {
        subject: compute_state_at(subject, marks, moment) for subject, marks in histories.items()
    }


def insert_decision(connection: Connection, mark: StoredDecision) -> None:
    """Insert a decision into the database."""
    from gdb_epi.fleet.store import tables

    # The row of a decision.
    row = {**mark.subject._asdict(), **mark._asdict()}
    del row["subject"]
    texts = ("who", "version", "version_of", "owner", "ticket", "note")
    cleaned = {name: (text_or_none(row[name]) or None) for name in texts if row[name]}
    cut = {name: (value or "")[:MAX_WORDS] for name, value in cleaned.items()}
    connection.execute(tables.mark.insert().values(**row | cut | {"who": cut.get("who", "")}))


def current_user_name() -> str:
    """Return the name of the user who runs this, as far as the system knows."""
    with suppress(KeyError):
        return pwd.getpwuid(os.geteuid()).pw_name
    return f"uid {os.geteuid()}"


def _stored_decision(row: Any) -> StoredDecision:
    about, kind, name, *rest = row
    return StoredDecision(DecisionSubject(about, kind, name), *rest)
