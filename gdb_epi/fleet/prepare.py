# SPDX-License-Identifier: Apache-2.0
"""Records made ready for the database, without one: projected, redacted, packed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from gdb_epi.errors import InputError
from gdb_epi.fleet.packing import Packer, unpack
from gdb_epi.fleet.projection import Projector, Rows, merge
from gdb_epi.fleet.reader import Item, Part, TextRecord, records_of
from gdb_epi.fleet.redact import is_storable_text, storable

Source = tuple[str, Mapping[str, Any]]  # where it came from, the record


class Prepared(NamedTuple):
    """A record ready for the database; `blob` is what `raw` stores."""

    rows: Rows
    blob: bytes


class Batch(NamedTuple):
    """What goes into one transaction, by core_key; `repeats` were merged into others."""

    best: dict[str, Prepared]
    rejected: tuple[tuple[str, str], ...]  # source, why
    repeats: int


class Preparer:
    """Prepares records; remembers what many of them share."""

    def __init__(self) -> None:
        self._projector = Projector()
        self._packer = Packer()

    def batch(self, sources: Iterable[Source | Item]) -> Batch:
        """Return the records ready for one transaction; two of one core become one."""
        best: dict[str, Prepared] = {}
        rejected = []
        repeats = 0
        for source, given in sources:
            try:
                if isinstance(given, InputError):
                    raise given
                item = self._prepared(given)
                key = item.rows.core_key
                if key in best:
                    repeats += 1
                    item = self._prepared(merge(unpack(best[key].blob), unpack(item.blob)))
            except (InputError, RecursionError, ValueError) as error:
                rejected.append((source, str(error)))
                continue
            best[key] = item
        return Batch(best, tuple(rejected), repeats)

    def part(self, part: Part) -> Batch:
        """Return the batch of a part of a file; what holds no record is rejected."""
        # One record at a time: a thousand parsed ones do not fit any cache of a CPU.
        return self.batch(records_of(part))

    def _prepared(self, given: Mapping[str, Any]) -> Prepared:
        if isinstance(given, TextRecord) and is_storable_text(given.line):
            return Prepared(self._projector.project(given), self._packer.pack(given.line.strip()))
        record = storable(given)
        return Prepared(self._projector.project(record), self._packer.record(record))
