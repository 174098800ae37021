# SPDX-License-Identifier: Apache-2.0
"""The tables as the first version made them, before alembic kept count."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: a database without a count has these tables already."""
