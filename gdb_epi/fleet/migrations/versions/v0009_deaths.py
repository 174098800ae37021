# SPDX-License-Identifier: Apache-2.0
"""A number of each death, by which two records of one are known; `fleet reproject` fills it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column. Of older rows it stays unknown: unpacking all records may take an hour."""
    op.add_column("crash", sa.Column("death", sa.Integer()))
    op.execute("UPDATE meta SET value = '9' WHERE key = 'schema_version'")
