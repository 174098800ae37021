# SPDX-License-Identifier: Apache-2.0
"""Which files were examined already, so that a run that was stopped goes on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the table; of what was examined before nobody knows with which options."""
    op.create_table(
        "examined",
        sa.Column("key", sa.Text(), primary_key=True),
        sa.Column("core_key", sa.Text(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
    )
    op.create_index("examined_core", "examined", ["core_key"])
    op.execute("UPDATE meta SET value = '8' WHERE key = 'schema_version'")
