# SPDX-License-Identifier: Apache-2.0
"""What a lake consists of: Parquet files, and a list of them that is replaced as a whole.

Tables with a row for each crash or host-day have a file a day (`crash/date=2026-11-21/...`, as Hive
and Spark name partitions), all others one file. No file is ever changed: a new one gets a new name,
and which ones are of this state of the lake is what `lake.json` says.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gdb_epi.errors import EpiError, InputError
from gdb_epi.fleet.paths import LAKE_PREFIX
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple

MANIFEST = "lake.json"
PREPARED = "prepared"  # folder of what an export works out for the questions
FORMAT = "gdb-epi/lake/1"
# By day: an SQL expression of the day (since 1970-01-01), the same in all of our engines.
# SQLAlchemy gives SQLite a floor() that raises on NULL.
DAY_EXPRESSIONS = {
    "crash": "CASE WHEN ts >= 0 THEN CAST(floor(ts / 86400) AS INTEGER) END",
    "exposure": "day",
}
TABLE_LEFT_OUT = "raw"  # whole records: half of all bytes, and no question of a fleet counts them
NO_DAY = "__HIVE_DEFAULT_PARTITION__"  # Hive's word for NULL
_LAST_DAY = 200_000  # since 1970: of a clock beyond it the calendar has no date


class ParquetFile(NamedTuple):
    """One Parquet file; `state` changes with what is in it."""

    name: str  # relative to the folder
    state: str
    rows: int


class Manifest(NamedTuple):
    """Which files a lake consists of, and of which database."""

    schema: int  # version of the tables
    database: str
    tables: dict[str, dict[str, ParquetFile]]  # table -> partition ("" of a table without) -> file

    def file_names(self) -> set[str]:
        """Return the names of all files."""
        return {file.name for files in self.tables.values() for file in files.values()}


def partition_name(day: int | None) -> str:
    """Return the name of the folder of a day."""
    return f"date={iso_day(day) if day is not None and 0 <= day < _LAST_DAY else NO_DAY}"


def lake_folder(given: str | None) -> Path | None:
    """Return the folder that a --db argument names; None for a database."""
    if given is None or not given.startswith(LAKE_PREFIX):
        return None
    return Path(given.removeprefix(LAKE_PREFIX)).expanduser().absolute()


def read_manifest(folder: Path) -> Manifest:
    """Return what a lake consists of. Raises InputError where there is none, EpiError."""
    path = folder / MANIFEST
    hint = "gdb-epi fleet export --format lake --output FOLDER makes one"
    try:
        content: Any = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(f"no lake at {folder}", hint=hint) from error
    except (OSError, ValueError) as error:
        raise EpiError(f"{path}: {error}", hint=hint) from error
    try:
        if content["format"] != FORMAT:
            problem = f"{path} is of the format {content['format']!r}, not {FORMAT!r}"
            raise EpiError(problem, hint=f"export it again: {hint}")
        tables = {
            table: {part: ParquetFile(*values) for part, values in files.items()}
            for table, files in content["tables"].items()
        }
        return Manifest(int(content["schema"]), str(content["database"]), tables)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise EpiError(f"{path} is damaged: {error!r}", hint=hint) from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the list of files: readers see the lake before or after, nothing between."""
    from gdb_epi.private_files import private_opener

    content = {"format": FORMAT, **manifest._asdict()}
    draft = folder / f".{MANIFEST}"
    with open(draft, "w", encoding="ascii", opener=private_opener) as stream:
        json.dump(content, stream, indent=1, sort_keys=True)
    draft.replace(folder / MANIFEST)
