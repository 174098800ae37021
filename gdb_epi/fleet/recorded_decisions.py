# SPDX-License-Identifier: Apache-2.0
"""What people decided of a crash at hand, asked only where there is a database.

Every triage asks: where the default database is not there, no module is imported for it, which is
why this stands apart from the words themselves (decisions/decision_lines.py).
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from gdb_epi.typing_lite import Any


def recorded_decision_lines(db: str | None, record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what was decided of the signature and the host of a record, in lines.

    Nothing where there is no database, or none that can be read: whoever stores the record says so.
    """
    if db is None and not os.path.isfile(_default_database()):
        return ()
    from gdb_epi.errors import EpiError
    from gdb_epi.fleet.decisions.decision_lines import decision_lines_of_record
    from gdb_epi.fleet.questions.signature_history import open_for_plain_sql
    from gdb_epi.fleet.records.projection import group_key

    try:
        with open_for_plain_sql(db) as execute:
            return tuple(decision_lines_of_record(execute, *group_key(record), record))
    except EpiError:
        return ()


def _default_database() -> str:
    """The path that fleet/paths.py gives, without pathlib: 18 ms of a cold start."""
    base = os.environ.get("XDG_DATA_HOME", "")
    root = base if os.path.isabs(base) else os.path.expanduser("~/.local/share")
    return os.path.join(root, "gdb-epi", "fleet.sqlite3")
