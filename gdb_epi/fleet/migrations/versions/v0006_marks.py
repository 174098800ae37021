# SPDX-License-Identifier: Apache-2.0
"""What people said about signatures and hosts, and what was sent to whom."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables; what was there stays as it is."""
    op.create_table(
        "mark",
        _id_column(),
        sa.Column("at", sa.Float, nullable=False),
        *(_text_key_column(name) for name in ("who", "about", "kind", "name", "state")),
        *(sa.Column(n, sa.Text) for n in ("version", "version_of", "owner", "ticket", "note")),
        sa.Column("until", sa.Float),
    )
    op.create_index("mark_about", "mark", ["about", "kind", "name"])
    op.create_table(
        "notice",
        _id_column(),
        sa.Column("at", sa.Float, nullable=False),
        *(_text_key_column(name) for name in ("channel", "subject")),
        sa.UniqueConstraint("channel", "subject"),
    )
    op.execute("INSERT INTO meta (key, value) VALUES ('dimensions_dropped', '0')")
    op.execute("UPDATE meta SET value = '6' WHERE key = 'schema_version'")


def _id_column() -> sa.Column[int]:
    return sa.Column("id", _ID, primary_key=True, autoincrement=True)


def _text_key_column(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, server_default="")
