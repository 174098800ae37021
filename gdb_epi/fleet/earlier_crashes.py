# SPDX-License-Identifier: Apache-2.0
"""What a database knows of a crash at hand, asked only where there is one.

Every triage asks: where the default database is not there, no module is imported for it, which is
why this stands apart from the words themselves (decisions/decision_lines.py).
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from gdb_epi.typing_lite import Any, NamedTuple


class EarlierCrashes(NamedTuple):
    """What a database knows of crashes like one: what was decided, and how often they were seen.

    `number` is None where there is no database, or none that can be read.
    """

    decided: tuple[str, ...] = ()
    number: int | None = None
    seen: str = ""


def read_earlier_crashes(db: str | None, record: Mapping[str, Any]) -> EarlierCrashes:
    """Return what a database knows of crashes like that of a record.

    Nothing where there is no database, or none that can be read: whoever stores the record says so.
    """
    if db is None and not os.path.isfile(_default_database_path()):
        return EarlierCrashes()
    from gdb_epi.errors import EpiError
    from gdb_epi.fleet.decisions.decision_lines import decision_lines_of_record
    from gdb_epi.fleet.questions.signature_history import count_other_crashes, open_for_plain_sql
    from gdb_epi.fleet.records.projection import group_key

    try:
        with open_for_plain_sql(db) as execute:
            group = group_key(record)
            decided = tuple(decision_lines_of_record(execute, *group, record))
            if not group[1]:
                return EarlierCrashes(decided)
            return EarlierCrashes(decided, *count_other_crashes(execute, *group, record, db))
    except EpiError:
        return EarlierCrashes()


def _default_database_path() -> str:
    """The path that fleet/paths.py gives, without pathlib: 18 ms of a cold start."""
    base = os.environ.get("XDG_DATA_HOME", "")
    root = base if os.path.isabs(base) else os.path.expanduser("~/.local/share")
    return os.path.join(root, "gdb-epi", "fleet.sqlite3")
