# SPDX-License-Identifier: Apache-2.0
"""The log of this user's exports: `fleet forget` names those that may hold what must go."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gdb_epi.fleet.paths import data_folder
from gdb_epi.private_files import make_private_folder, private_opener

EXPORT_LOG = "exports.jsonl"  # a line for each export


@contextmanager
def logged_export(database: str, output: str | None) -> Iterator[None]:
    """Log the export that is made inside: `fleet forget` names those that may hold what must go.

    One that fails before it writes anything is none. A line that cannot be written is no error.
    """
    try:
        yield
    finally:
        if output is None or Path(output).exists():
            _append_to_log(database, output)


def _append_to_log(database: str, output: str | None) -> None:
    place = "standard output" if output is None else str(Path(output).absolute())
    line = json.dumps({"at": time.time(), "database": database, "output": place})
    with suppress(OSError):
        make_private_folder(data_folder())
        with open(data_folder() / EXPORT_LOG, "a", encoding="ascii", opener=private_opener) as file:
            file.write(f"{line}\n")


def read_export_log(database: str) -> list[tuple[float, str]]:
    """Return when and where a database was exported to by this user, each place once, by time."""
    places: dict[str, float] = {}
    try:
        lines = (data_folder() / EXPORT_LOG).read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return []
    for line in lines:
        try:
            row = json.loads(line)
            if row["database"] == database:
                places[str(row["output"])] = float(row["at"])
        except (ValueError, KeyError, TypeError):
            continue
    return sorted((at, place) for place, at in places.items())
