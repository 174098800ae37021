# SPDX-License-Identifier: Apache-2.0
"""All states of today, with their history: what `fleet states` and the server show."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from gdb_epi.fleet.decisions.current_state import (
    BACK,
    FIXED,
    HOST,
    REGRESSED,
    REPAIRED,
    SIGNATURE,
    CurrentState,
    read_current_states,
)
from gdb_epi.fleet.decisions.fix_assessment import FixAssessment, assess_fix, describe_fix
from gdb_epi.fleet.population.host_spelling import match_spellings, read_host_names
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY
from gdb_epi.fleet.store.plain_sql import Execute
from gdb_epi.typing_lite import Any, NamedTuple

_TEXTS = "SELECT kind, key, min(text) FROM sig GROUP BY kind, key"
_CRASHES = (
    "SELECT count(*), max(c.ts) FROM crash c JOIN sig s ON s.id = c.sig_id"
    " WHERE s.kind = :kind AND s.key = :name AND (c.ts IS NULL OR c.ts < :until)"
)
_OF_HOST = (
    "SELECT count(*), max(c.ts) FROM crash c JOIN host h ON h.id = c.host_id"
    " WHERE h.name = :name AND (c.ts IS NULL OR c.ts < :until)"
)


class StateWithCrashes(NamedTuple):
    """A signature or host about which somebody decided, and its crashes."""

    current: CurrentState
    state: str  # regressed even if that is not stored yet
    text: str  # of the signature, or the name of the host
    fix: FixAssessment | None
    crashes: int
    last: float | None  # seconds since the epoch

    def as_json(self) -> dict[str, Any]:
        """Return it as one JSON object; times are seconds since the epoch."""
        held = self.current
        plain: dict[str, Any] = {
            "about": held.subject.about, "kind": held.subject.kind, "name": held.subject.name,
            "text": self.text, "state": self.state, "since": held.since, "who": held.who,
            "owner": held.owner, "ticket": held.ticket, "note": held.note,
            "crashes": self.crashes, "last": self.last, "fix": None,
            "until": held.mark.until if held.mark is not None else None,
        }  # fmt: skip
        if self.fix is not None:
            again = [count._asdict() for count in self.fix.again]
            plain["fix"] = {**self.fix._asdict(), "again": again, "words": describe_fix(self.fix)}
        history = [mark._asdict() for mark in held.history]
        for row in history:
            del row["subject"]
        return {**plain, "history": history}


def read_decision_states(
    execute: Execute, now: float, until: float = inf
) -> list[StateWithCrashes]:
    """Return the states of signatures, then of hosts; what needs a person comes first.

    By what was decided and what crashed before `until`.
    """
    texts = {(kind, key): text for kind, key, text in execute(_TEXTS, {})}
    states = []
    for about in (SIGNATURE, HOST):
        every = read_current_states(execute, about, now, until).items()
        hosts = read_host_names(execute) if about == HOST and every else []
        for subject, held in every:
            if about == SIGNATURE:
                values = {"kind": subject.kind, "name": subject.name, "until": until}
                counts = list(execute(_CRASHES, values))
            else:  # one host, in all its spellings
                names = {subject.name, *match_spellings([subject.name], hosts)}
                counts = [
                    row
                    for name in names
                    for row in execute(_OF_HOST, {"name": name, "until": until})
                ]
            crashes = sum(count for count, _ in counts)
            last = max((ts for _, ts in counts if ts is not None), default=None)
            fix = assess_fix(execute, held, until) if about == SIGNATURE else None
            is_back = fix is not None and fix.is_regressed
            state = REGRESSED if is_back and held.state == FIXED else held.state
            text = texts.get((subject.kind, subject.name)) if about == SIGNATURE else None
            states.append(
                StateWithCrashes(held, state, text or subject.name, fix, int(crashes), last)
            )
    states.sort(key=lambda s: (s.current.subject.about != SIGNATURE, s.state != REGRESSED))
    return states


def failed_fixes(
    states: Iterable[StateWithCrashes],
) -> list[tuple[StateWithCrashes, FixAssessment]]:
    """Return the regressed states with their fixes; not those set by a person without a fix."""
    return [(s, s.fix) for s in states if s.state == REGRESSED and s.fix is not None]


def day_before_repair_by_host(execute: Execute, now: float, until: float = inf) -> dict[str, int]:
    """Return the hosts that were repaired and the last day (since 1970-01-01) before that.

    By what was decided before `until`.
    """
    days: dict[str, int] = {}
    for subject, held in read_current_states(execute, HOST, now, until).items():
        for wanted in (BACK, REPAIRED):  # BACK: of one that came back with no repair noted
            moments = [mark.at for mark in held.history if mark.state == wanted]
            if moments:
                days[subject.name] = int(moments[-1] // SECONDS_A_DAY)
    return days
