# SPDX-License-Identifier: Apache-2.0
"""Times that cannot be true, and dates of files, are set aside; when a record came is kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_EARLIEST = 946_684_800.0  # as gdb_epi/fleet/records/crash_times.py had them then
_AHEAD = 3_600.0


def upgrade() -> None:
    """Add the columns; of older records only the last change of the database bounds the time."""
    op.add_column("crash", sa.Column("ts_claimed", sa.Float()))
    op.add_column("crash", sa.Column("received", sa.Float()))
    op.execute("UPDATE crash SET received = (SELECT max(at) FROM change)")
    op.execute(
        "UPDATE crash SET ts_claimed = ts, ts = NULL WHERE ts_source = 'mtime' "
        f"OR ts < {_EARLIEST} OR ts > received + {_AHEAD}"
    )
    op.execute("UPDATE meta SET value = '7' WHERE key = 'schema_version'")
