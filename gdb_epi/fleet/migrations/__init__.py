# SPDX-License-Identifier: Apache-2.0
"""Alembic migrations of the fleet database, run by `gdb_epi.fleet.store.database.migrate`.

In comes a connection to a database of any released schema; its tables are afterwards those of
`store/tables.py`. What fills new columns from the stored records is `store/reproject.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

FIRST = "0001"  # the tables of databases that were made before alembic kept count


def upgrade(connection: Connection) -> None:
    """Run the migrations that a database made by an older gdb-epi lacks."""
    from alembic import command
    from alembic.runtime.migration import MigrationContext

    config = _config(connection)
    if MigrationContext.configure(connection).get_current_revision() is None:
        command.stamp(config, FIRST)
    command.upgrade(config, "head")


def stamp_new(connection: Connection) -> None:
    """Note that freshly made tables need no migration."""
    from alembic import command

    command.stamp(_config(connection), "head")


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    # A path with a percent sign would be read as an interpolation.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
