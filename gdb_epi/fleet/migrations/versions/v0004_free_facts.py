# SPDX-License-Identifier: Apache-2.0
"""The tables with a row per core check no foreign keys: that was half of PostgreSQL's ingest."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_TABLES = ("raw", "crash")  # in this order: raw refers to crash
_NAMES = {"fk": "fk_%(table_name)s_%(column_0_name)s"}  # SQLite's have none


def upgrade() -> None:
    """Drop the foreign keys; the rows stay as they are."""
    if op.get_bind().dialect.name == "postgresql":
        for table in _TABLES:
            for key in sa.inspect(op.get_bind()).get_foreign_keys(table):
                op.drop_constraint(str(key["name"]), table, type_="foreignkey")
    else:
        _copy_without_foreign_keys()
    op.execute("UPDATE meta SET value = '4' WHERE key = 'schema_version'")


def _copy_without_foreign_keys() -> None:
    """SQLite drops no constraint: copy the tables. A view of one would not let it be renamed."""
    op.execute("DROP VIEW host_attr")
    for table in _TABLES:
        keys = sa.inspect(op.get_bind()).get_foreign_keys(table)
        with op.batch_alter_table(table, naming_convention=_NAMES) as changes:
            for key in keys:
                name = f"fk_{table}_{key['constrained_columns'][0]}"
                changes.drop_constraint(name, type_="foreignkey")
    op.execute(
        "CREATE VIEW host_attr AS SELECT c.host_id, v.attr, v.value, min(c.ts) AS from_ts,"
        " max(c.ts) AS to_ts FROM crash c JOIN attrset_value v ON v.attrset_id = c.attrset_id"
        " WHERE c.host_id IS NOT NULL GROUP BY c.host_id, v.attr, v.value"
    )
