# SPDX-License-Identifier: Apache-2.0
"""What alembic runs: the caller's connection and transaction, nothing of its own."""

from __future__ import annotations

from alembic import context

from gdb_epi.fleet.store.tables import metadata

# render_as_batch: SQLite changes a table by copying it.
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=False,
)
context.run_migrations()
