# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet reproject`: rebuild the tables from the raw records."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.cli.fleet.output import add_database_option, warn_of_damaged_records
from gdb_epi.util import counted

HELP = "rebuild all tables from the raw records (also migrates an older database)"


add_arguments = add_database_option


def run(args: Namespace) -> None:
    """Rebuild and say how many records there were."""
    from gdb_epi.fleet.store.database import open_database

    with open_database(args.db, write=True, create=False) as engine:
        from gdb_epi.fleet.store.reproject import reproject_raw_records

        lost: list[int] = []
        print(f"{counted(reproject_raw_records(engine, lost), 'record')} projected again")
    warn_of_damaged_records(lost)
