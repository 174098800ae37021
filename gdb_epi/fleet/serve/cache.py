# SPDX-License-Identifier: Apache-2.0
"""Answers that are costly to make, kept until the database says something else."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

from sqlalchemy import Engine, func, select

from gdb_epi.fleet.store import tables

MAX_KEPT = 32  # answers; a page has up to 3 MB


def database_fingerprint(engine: Engine) -> Hashable:
    """Return a value that changes with the crashes, the host-hours, findings and decisions."""
    finding, mark = tables.finding.c, tables.mark.c
    with engine.connect() as connection:
        changes = connection.execute(select(func.count(), func.max(tables.change.c.id))).one()
        rows = select(func.count(), func.max(finding.decided_at), func.sum(finding.raised))
        decided = connection.execute(select(func.count(), func.max(mark.id))).one()
        return (*changes, *connection.execute(rows).one(), *decided)


class AnswerCache:
    """Keeps answers for one state of the database; each is made by a single thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kept: OrderedDict[Hashable, tuple[Hashable, Any]] = OrderedDict()
        self._lock = Lock()
        self._making = Lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return the answer, made where it is not there for this state."""
        state = database_fingerprint(self._engine)
        kept = self._find(key, state)
        if kept is not None:
            return kept[1]
        # One at a time: ten readers of one page must not make it ten times.
        with self._making:
            kept = self._find(key, state)
            if kept is not None:
                return kept[1]
            answer = make()
        with self._lock:
            self._kept[key] = (state, answer)
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return answer

    def _find(self, key: Hashable, state: Hashable) -> tuple[Hashable, Any] | None:
        with self._lock:
            kept = self._kept.get(key)
        return kept if kept is not None and kept[0] == state else None
