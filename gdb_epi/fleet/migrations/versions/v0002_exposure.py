# SPDX-License-Identifier: Apache-2.0
"""Attributes per crash, exposure and findings."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables and crash.attrset_id; `reproject` fills it from the raw records."""
    _create_attribute_set_tables()
    _create_exposure_table()
    _create_finding_table()
    # Both databases take this as it is; alembic would copy SQLite's table, which `raw` needs.
    kind = "BIGINT" if op.get_bind().dialect.name == "postgresql" else "INTEGER"
    op.execute(f"ALTER TABLE crash ADD COLUMN attrset_id {kind} REFERENCES attrset (id)")
    op.execute("UPDATE meta SET value = '2' WHERE key = 'schema_version'")


def _create_attribute_set_tables() -> None:
    op.create_table(
        "attrset",
        sa.Column("id", _ID, primary_key=True, autoincrement=True),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
    )
    op.create_table(
        "attrset_value",
        _foreign_key_column("attrset_id", "attrset.id", primary_key=True),
        sa.Column("attr", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )


def _create_exposure_table() -> None:
    op.create_table(
        "exposure",
        _foreign_key_column("host_id", "host.id", primary_key=True),
        sa.Column("day", sa.Integer, primary_key=True),
        _foreign_key_column("attrset_id", "attrset.id", primary_key=True),
        sa.Column("hours", sa.Float, nullable=False),
    )
    op.create_index("exposure_day", "exposure", ["day"])


def _create_finding_table() -> None:
    keys = [sa.Column(n, sa.Text, nullable=False, server_default="") for n in _FINDING_KEY]
    op.create_table(
        "finding",
        sa.Column("id", _ID, primary_key=True, autoincrement=True),
        sa.Column("day", sa.Integer, nullable=False),
        *keys,
        sa.Column("n", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Float) for name in ("rr", "p", "q")),
        sa.Column("detail", sa.Text),
        sa.Column("state", sa.Text, nullable=False, server_default="open"),
        sa.Column("note", sa.Text),
        sa.UniqueConstraint(*_FINDING_KEY),
    )


_FINDING_KEY = ("attr", "value", "signature")


def _foreign_key_column(
    column: str, target: str, *, name: str | None = None, **more: Any
) -> sa.Column[Any]:
    return sa.Column(column, _ID, sa.ForeignKey(target, name=name), **more)
