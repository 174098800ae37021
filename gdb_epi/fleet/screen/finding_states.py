# SPDX-License-Identifier: Apache-2.0
"""Findings in the database: each is raised once, and a person confirms or dismisses it.

A dismissed finding stays silent until its crashes have doubled since (and are at least MIN_GROWTH
more), with a p value below the GROWN-th power of the one that was dismissed. A cause that goes on
at the same rate gets there; the rest of an accident does not. Then it is open again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Engine, select

from gdb_epi.errors import InputError
from gdb_epi.fleet.screen.finding_texts import as_json, finite
from gdb_epi.fleet.screen.types import ALL, Finding, is_of_host
from gdb_epi.fleet.store import tables as t
from gdb_epi.fleet.store.dimensions import insert
from gdb_epi.fleet.store.transactions import begin

OPEN, CONFIRMED, DISMISSED = STATES = ("open", "confirmed", "dismissed")
MIN_GROWTH = 5  # crashes
# Less than 2: how unlike hosts are is estimated with the bad one among them, and what lies beyond
# the simulated healthy hosts is bounded only, so p falls slower than by the number of crashes.
GROWN = 1.4
P_FLOOR = 1e-300  # where floats end
MAX_NOTE = 4_000  # characters


class StoredFinding(NamedTuple):
    """One finding as the database has it; `detail` is what was said when it was (last) raised."""

    id: int
    day: int  # since 1970-01-01, first raised
    attr: str
    value: str
    signature: str
    n: int
    rr: float | None
    p: float | None
    q: float | None
    state: str
    note: str | None
    decided_at: float | None  # seconds since the epoch
    decided_n: int | None
    decided_p: float | None
    raised: int
    detail: dict[str, Any]

    @property
    def family(self) -> tuple[str, str, str]:
        """What makes findings one: of a host, `*` and `*bitflip` are the same."""
        return finding_key(self.attr, self.value, self.signature)


def finding_key(attr: str, value: str, signature: str) -> tuple[str, str, str]:
    """Return the key under which a finding is raised once."""
    broad = attr == "host" and is_of_host(signature)
    return attr, value, ALL if broad else signature


def stored(engine: Engine, state: str | None = None) -> list[StoredFinding]:
    """Return the findings, the latest first; of one state, or of all."""
    c = t.finding.c
    names = [name for name in StoredFinding._fields if name != "detail"]
    chosen = select(*(c[name] for name in names), c.detail).order_by(c.day.desc(), c.id)
    if state is not None:
        chosen = chosen.where(c.state == state)
    with engine.connect() as connection:
        rows = connection.execute(chosen).all()
    return [StoredFinding(**{**row._mapping, "detail": _detail(row.detail)}) for row in rows]


def decide(engine: Engine, number: int, state: str, note: str | None) -> None:
    """Set the state of a finding; the evidence of now is kept beside it. Raises InputError."""
    c = t.finding.c
    values: dict[str, Any] = {"state": state, "decided_at": time.time()}
    values |= {"decided_n": c.n, "decided_p": c.p}
    if note is not None:
        values["note"] = note[:MAX_NOTE].replace("\0", "")
    with begin(engine) as connection:
        done = connection.execute(t.finding.update().where(c.id == number).values(values))
        if done.rowcount != 1:
            raise InputError(f"no finding {number}", hint="gdb-epi fleet findings")


def known_findings(before: Iterable[StoredFinding]) -> tuple[Finding, ...]:
    """Return those of the stored findings that a screen must not repeat, as findings."""
    nobody = np.zeros(0, dtype=bool)
    return tuple(
        Finding(
            s.attr, s.value, s.signature, s.n, s.n, s.p or 0.0, s.q or 0.0, s.rr or 0.0,
            0.0, float("inf"), "", "", (), (), nobody,
        )
        for s in before
        if s.state != DISMISSED
    )  # fmt: skip


def findings_to_raise(
    findings: Iterable[Finding], before: Iterable[StoredFinding]
) -> tuple[Finding, ...]:
    """Return what was never raised, and what was dismissed on clearly less evidence."""
    stored_by_family: dict[tuple[str, str, str], StoredFinding] = {}
    for old in before:
        # `*` and `*bitflip` of one host may both be there: the decided one speaks.
        if old.family not in stored_by_family or old.state != OPEN:
            stored_by_family[old.family] = old
    new = []
    for finding in findings:
        earlier = stored_by_family.get(finding_key(*finding.key))
        if earlier is None or (earlier.state == DISMISSED and _has_grown(finding, earlier)):
            new.append(finding)
    return tuple(new)


def _has_grown(finding: Finding, dismissed: StoredFinding) -> bool:
    n = dismissed.n if dismissed.decided_n is None else dismissed.decided_n
    p = dismissed.decided_p if dismissed.decided_p is not None else 1.0
    return finding.n >= max(2 * n, n + MIN_GROWTH) and finding.p <= max(p**GROWN, P_FLOOR)


def keep(engine: Engine, findings: Sequence[Finding], day: int) -> None:
    """Store what is raised; one that was dismissed is opened again, with today's numbers.

    Two screens at once store it once (the unique key of the table).
    """
    if not findings:
        return
    with begin(engine) as connection:
        statement = insert(connection, t.finding)
        new = statement.excluded
        again = {name: new[name] for name in ("n", "rr", "p", "q", "detail")}
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["attr", "value", "signature"],
                set_={**again, "state": OPEN, "raised": t.finding.c.raised + 1},
                where=t.finding.c.state == DISMISSED,
            ),
            [_row(finding, day) for finding in findings],
        )


def _row(finding: Finding, day: int) -> dict[str, Any]:
    return {
        "day": day,
        "attr": finding.attr,
        "value": finding.value,
        "signature": finding.signature,
        "n": finding.n,
        "rr": finite(finding.rr),
        "p": finding.p,
        "q": finding.q,
        "detail": json.dumps(as_json(finding, day)),
    }


def _detail(text: str | None) -> dict[str, Any]:
    try:
        detail = json.loads(text or "{}")
    except ValueError:
        return {}
    return detail if isinstance(detail, dict) else {}
