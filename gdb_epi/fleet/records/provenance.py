# SPDX-License-Identifier: Apache-2.0
"""What a core itself does not hold: when, where. Standard library only: `epi push` uses it."""

from __future__ import annotations

import os

from gdb_epi.typing_lite import Any


def add_provenance(record: dict[str, Any], path: str, compression: str | None = None) -> None:
    """Add the time and kind of a core file.

    There is no wall clock in a core; the time at which the file was last written is the weakest
    source of the time of the crash, so it never replaces another one.
    """
    status = os.stat(path)
    add_file_facts(record, os.path.basename(path), status.st_size, status.st_mtime, compression)


def add_file_facts(
    record: dict[str, Any],
    name: str,
    size: int | None,
    modified: float | None,
    compression: str | None,
) -> None:
    """Add name, size in bytes and kind of a core file, and as a last resort its time.

    `modified` is in s since 1970; it and the size are None where a store does not say them.
    """
    time = record.setdefault("time", {})
    if time.get("crash_ts") is None and modified is not None:
        time["crash_ts"] = round(modified, 3)
        time["ts_source"] = "mtime"
    record["file"] = {"name": name, "size": size, "compression": compression}
