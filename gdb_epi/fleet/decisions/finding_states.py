# SPDX-License-Identifier: Apache-2.0
"""Findings in the database: each is raised once, and a person confirms or dismisses it.

A dismissed finding stays silent until its crashes have doubled since (and are at least MIN_GROWTH
more), with a p value below (p at dismissal) ** P_EXPONENT_TO_REOPEN. A cause that goes on at the
same rate gets there, the rest of an accident does not. Then the finding is open again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Engine, and_, not_, or_, select

from gdb_epi.errors import InputError
from gdb_epi.fleet.decisions import current_state
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.records.values import number_or_none
from gdb_epi.fleet.screen.finding import (
    NOT_SURE,
    Finding,
    finding_identity,
)
from gdb_epi.fleet.screen.finding_texts import (
    are_more_crashes_needed,
    describe_counted_crashes,
    finding_json,
    finite_or_none,
    is_host_suspect_clearer_now,
    short_risk,
)
from gdb_epi.fleet.statistics.arrays import Bools
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.dimensions import insert_statement
from gdb_epi.fleet.store.transactions import begin_write
from gdb_epi.util import parse_json_object, pick_attributes

# REPAIRED: the host is repaired; crashes from before do not raise it again, later ones do.
OPEN, CONFIRMED, DISMISSED, REPAIRED = "open", "confirmed", "dismissed", "repaired"
MAX_CORES = 100  # that one finding names, the latest
MIN_GROWTH = 5  # crashes
# Less than 2: how unlike hosts are is estimated with the bad one among them, and what lies beyond
# the simulated healthy hosts is bounded only, so p falls slower than by the number of crashes.
P_EXPONENT_TO_REOPEN = 1.4
P_FLOOR = 1e-300  # where floats end
MAX_NOTE_CHARACTERS = 4_000  # characters


class StoredFinding(NamedTuple):
    """One finding in the database; `detail` is what was reported when it was (last) raised."""

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
    def identity(self) -> tuple[str, str, str]:
        """The key by which it is raised once: of a host, `*` and `*bitflip` are the same."""
        return finding_identity(self.attr, self.value, self.signature)

    @property
    def verdict(self) -> str:
        """What it says, as it was worded when it was raised."""
        return str(self.detail.get("verdict") or f"{self.attr}={self.value}")

    def numbers_line(self, *, interval: bool) -> str:
        """Return its crashes, relative risk (with the `interval` of 95 %), p and q in a line."""
        counts = describe_counted_crashes(self.signature, self.detail.get("test", ""))
        words = f"{self.attr}={self.value}: {self.n} {counts}"
        if self.rr is not None:
            words += f", relative risk {short_risk(self.rr)}"
            limits = self.detail.get(_INTERVAL, ())
            if interval and len(limits) == 2:
                words += f" (95 %: {short_risk(limits[0])} to {short_risk(limits[1])})"
        for name, value in (("p", self.p), ("q", self.q)):
            words += "" if value is None else f", {name} {value:.1g}"
        return words


def stored_findings(engine: Engine, state: str | None = None) -> list[StoredFinding]:
    """Return the findings, the latest first; of one state, or of all."""
    with engine.connect() as connection:
        return stored_findings_in_transaction(connection, state)


def stored_findings_in_transaction(
    connection: Connection, state: str | None = None
) -> list[StoredFinding]:
    """Like `stored_findings`, but as a transaction sees it."""
    c = tables.finding.c
    names = [name for name in StoredFinding._fields if name != "detail"]
    chosen = select(*(c[name] for name in names), c.detail).order_by(c.day.desc(), c.id)
    if state is not None:
        chosen = chosen.where(c.state == state)
    rows = connection.execute(chosen).all()
    return [
        StoredFinding(**{**row._mapping, "detail": parse_finding_detail(row.detail)})
        for row in rows
    ]


def set_finding_state(engine: Engine, number: int, state: str, note: str | None) -> None:
    """Set the state of a finding, and keep today's evidence and who decided.

    Raises InputError.
    """
    c = tables.finding.c
    values: dict[str, Any] = {"state": state, "decided_at": time.time()}
    values |= {"decided_n": c.n, "decided_p": c.p}
    if note is not None:
        values["note"] = note[:MAX_NOTE_CHARACTERS].replace("\0", "")
    with begin_write(engine) as connection:
        done = connection.execute(tables.finding.update().where(c.id == number).values(values))
        if done.rowcount != 1:
            raise InputError(f"no finding {number}", hint="gdb-epi fleet findings")
        row = connection.execute(select(c.attr, c.value, c.signature).where(c.id == number)).one()
        subject = current_state.DecisionSubject(
            current_state.FINDING, "", f"{row.attr}={row.value} {row.signature}"
        )
        at = values["decided_at"]
        current_state.insert_decision(
            connection,
            current_state.StoredDecision(
                subject, at, current_state.current_user_name(), state, note=note
            ),
        )


def findings_not_to_repeat(before: Iterable[StoredFinding]) -> tuple[Finding, ...]:
    """Return the stored findings that a screening must not repeat, as findings."""
    nobody = np.zeros(0, dtype=bool)
    return tuple(
        Finding(
            s.attr, s.value, s.signature, s.n, s.n, s.p or 0.0, s.q or 0.0, s.rr or 0.0,
            0.0, float("inf"), str(s.detail.get("test") or ""), "", (), _caveats(s), nobody,
        )
        for s in before
        if s.state not in (DISMISSED, REPAIRED)
    )  # fmt: skip


def _caveats(stored: StoredFinding) -> tuple[str, ...]:
    return tuple(stored.detail.get("caveats") or ())


def findings_to_raise(
    findings: Iterable[Finding], before: Iterable[StoredFinding]
) -> tuple[Finding, ...]:
    """Return the findings never raised before, and those dismissed on clearly less evidence.

    A host of which more crashes were to tell is raised again once they do. A repaired
    host is raised again by any finding: what is counted is from after its repair.
    """
    stored_by_identity: dict[tuple[str, str, str], StoredFinding] = {}
    for old in before:
        # `*` and `*bitflip` of one host may both be stored: the decided or the clearer one counts.
        kept = stored_by_identity.get(old.identity)
        is_clear = not are_more_crashes_needed(_caveats(old))
        if kept is None or old.state != OPEN or (is_clear and kept.state == OPEN):
            stored_by_identity[old.identity] = old
    new = []
    for finding in findings:
        earlier = stored_by_identity.get(finding_identity(*finding.identity))
        again = earlier is not None and (
            earlier.state == REPAIRED
            or (earlier.state == DISMISSED and _has_more_evidence(finding, earlier))
            or (earlier.state == OPEN and is_host_suspect_clearer_now(finding, [_caveats(earlier)]))
        )
        if earlier is None or again:
            new.append(finding)
    return tuple(new)


def _has_more_evidence(finding: Finding, dismissed: StoredFinding) -> bool:
    n = dismissed.n if dismissed.decided_n is None else dismissed.decided_n
    p = dismissed.decided_p if dismissed.decided_p is not None else 1.0
    return finding.n >= max(2 * n, n + MIN_GROWTH) and finding.p <= max(
        p**P_EXPONENT_TO_REOPEN, P_FLOOR
    )


def store_findings(
    engine: Engine, findings: Sequence[Finding], day: int, population: Population | None = None
) -> None:
    """Store the raised findings; a settled one is opened again, with today's numbers.

    With their population given, each names its latest cores. Two screenings at once store
    it once (the unique key of the table).
    """
    if not findings:
        return
    with begin_write(engine) as connection:
        statement = insert_statement(connection, tables.finding)
        new = statement.excluded
        again = {name: new[name] for name in ("n", "rr", "p", "q", "detail")}
        was_unsure, is_unsure = (
            or_(*(detail.contains(text, autoescape=True) for text in NOT_SURE))
            for detail in (tables.finding.c.detail, new.detail)
        )
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["attr", "value", "signature"],
                set_={**again, "state": OPEN, "raised": tables.finding.c.raised + 1},
                where=or_(
                    tables.finding.c.state == DISMISSED,
                    tables.finding.c.state == REPAIRED,
                    and_(tables.finding.c.state == OPEN, was_unsure, not_(is_unsure)),
                ),
            ),
            [_finding_row(finding, day, population) for finding in findings],
        )


def latest_core_keys(population: Population, members: Bools) -> list[str]:
    """Return the keys of the latest MAX_CORES crashes under a mask, the latest first."""
    core_keys = population.core_keys[: members.size]  # a replay's masks end with their day
    return core_keys.keys_under(members)[: -MAX_CORES - 1 : -1]


def _finding_row(finding: Finding, day: int, population: Population | None) -> dict[str, Any]:
    detail = finding_json(finding, day)
    if population is not None:
        detail["cores"] = latest_core_keys(population, finding.members)
    return {
        "day": day,
        **pick_attributes(finding, "attr", "value", "signature", "n", "p", "q"),
        "rr": finite_or_none(finding.rr),
        "detail": json.dumps(detail),
    }


_INTERVAL = "rr_interval"
_TEXTS, _LISTS = ("verdict", "test", "exposure"), ("aliases", "caveats", "cores")


def parse_finding_detail(column: str | None) -> dict[str, Any]:
    """Return the detail of a finding; of an imported row only the values of the right type."""
    detail = parse_json_object(column or "{}") or {}
    return {name: value for name, value in detail.items() if _is_valid_detail(name, value)}


def _is_valid_detail(name: str, value: Any) -> bool:
    if name in _TEXTS:
        return isinstance(value, str)
    if name in _LISTS:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if name == _INTERVAL:
        return isinstance(value, list) and all(
            limit is None or number_or_none(limit) is not None for limit in value
        )
    return not isinstance(value, (dict, list))
