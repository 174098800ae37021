# SPDX-License-Identifier: Apache-2.0
"""What a finding's state was decided on, facts of the core as a set, and a count of changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the columns; `reproject` fills those of crash from the raw records."""
    op.create_table(
        "change",
        sa.Column("id", _ID, primary_key=True, autoincrement=True),
        sa.Column("at", sa.Float, nullable=False),
    )
    postgresql = op.get_bind().dialect.name == "postgresql"
    key, real = ("BIGINT", "DOUBLE PRECISION") if postgresql else ("INTEGER", "FLOAT")
    # Both databases take this as it is; alembic would copy SQLite's table, which others refer to.
    for change in (
        f"crash ADD COLUMN factset_id {key} REFERENCES attrset (id)",
        "crash ADD COLUMN flip_bit INTEGER",
        f"finding ADD COLUMN decided_at {real}",
        "finding ADD COLUMN decided_n INTEGER",
        f"finding ADD COLUMN decided_p {real}",
        "finding ADD COLUMN raised INTEGER DEFAULT 1 NOT NULL",
    ):
        op.execute(f"ALTER TABLE {change}")
    op.drop_index("crash_sig", "crash")
    op.create_index("crash_sig", "crash", ["sig_id", "host_id", "ts", "verdict"])
    op.drop_table("host_attr")  # a view of crash and attrset_value says the same
    op.execute(
        "CREATE VIEW host_attr AS SELECT c.host_id, v.attr, v.value, min(c.ts) AS from_ts,"
        " max(c.ts) AS to_ts FROM crash c JOIN attrset_value v ON v.attrset_id = c.attrset_id"
        " WHERE c.host_id IS NOT NULL GROUP BY c.host_id, v.attr, v.value"
    )
    op.execute("UPDATE meta SET value = '3' WHERE key = 'schema_version'")
