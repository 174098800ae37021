# SPDX-License-Identifier: Apache-2.0
"""Verdicts have models: those that are stored are of the first, and are counted by themselves."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Name the model of each stored label, as gdb_epi/fleet/records/projection.py does."""
    op.execute("UPDATE crash SET verdict = verdict || ' (model 1)' WHERE verdict IS NOT NULL")
    op.execute("UPDATE meta SET value = '5' WHERE key = 'schema_version'")
