# SPDX-License-Identifier: Apache-2.0
"""Records made ready for the database, without one: projected, redacted, packed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import tzinfo
from typing import Any, NamedTuple, TypeVar

from gdb_epi.errors import InputError
from gdb_epi.fleet.records.packing import RecordPacker, unpack_record
from gdb_epi.fleet.records.projection import Projector, RecordRows, merge_records
from gdb_epi.fleet.records.reader import (
    Item,
    Part,
    RecordBatch,
    parse_export_line,
    parse_record_line,
)
from gdb_epi.fleet.records.values import with_time_zone

# -- What may be kept: locals and exception messages never go into the database --------------------

# Keys whose value is dropped wherever it stands.
DROPPED = frozenset({"locals", "variables", "globals"})
# Groups of the record in which these keys hold texts of a Python exception.
EXCEPTION_GROUPS = frozenset({"exception", "exceptions"})
EXCEPTION_TEXTS = frozenset({"message", "args", "notes"})
MAX_DEPTH = 64  # a record is about 8 deep; deeper is not ours


# Looking for exact types first is three times as fast as isinstance with Mapping.
_SCALARS = (str, int, float, bool, type(None))


def is_line_storable_unchanged(line: bytes) -> bool:
    """Whether `storable` would surely drop nothing from the record that this JSON text holds.

    A backslash could spell a key another way; NULs are another encoding.
    """
    if b"\\" in line or b"\0" in line or not line.isascii():
        return False
    if b'"locals"' in line or b'"variables"' in line or b'"globals"' in line:
        return False
    if b'"exception' not in line:
        return True
    return not (b'"message"' in line or b'"args"' in line or b'"notes"' in line)


def storable_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a record without locals and exception messages."""
    return {
        key: value if type(value) in _SCALARS else _clean_value(value, key, 1)
        for key, value in record.items()
        if key not in DROPPED
    }


def _clean_value(value: Any, group: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        return None
    inside = depth + 1
    if isinstance(value, (list, tuple)):
        return [x if type(x) in _SCALARS else _clean_value(x, group, inside) for x in value]
    if not isinstance(value, Mapping):
        return value
    in_exception = group in EXCEPTION_GROUPS
    kept = {}
    for key, inner in value.items():
        if key in DROPPED or (in_exception and key in EXCEPTION_TEXTS):
            continue
        if type(inner) not in _SCALARS:
            # A list or map inside an exception group (cause, context) stays one.
            inner = _clean_value(inner, group if in_exception else key, inside)
        kept[key] = inner
    return kept


# -- Records made ready for the database, without one: projected, redacted, packed -----------------

Source = tuple[str, Mapping[str, Any]]  # where it came from, the record
_Where = TypeVar("_Where")
_Given = TypeVar("_Given")


class PreparedRecord(NamedTuple):
    """A record ready for the database; `blob` is what `raw` stores."""

    rows: RecordRows
    blob: bytes


class PreparedBatch(NamedTuple):
    """What goes into one transaction, by core_key; `repeats` were merged into others."""

    best: dict[str, PreparedRecord]
    rejected: tuple[tuple[str, str], ...]  # source, why
    repeats: int
    others: tuple[dict[str, Any], ...] = ()  # lines of an export that are no records


class RecordPreparer:
    """Prepares records; remembers what many of them share."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        self._zone = zone  # of times that are written without one; None: they stay unknown
        self._projector = Projector()
        self._packer = RecordPacker()

    def prepare_batch(self, sources: Iterable[Source | Item]) -> PreparedBatch:
        """Return the records ready for a transaction; two of one core are merged."""
        return self._collect_batch(sources, self._prepare_record, str)

    def prepare_part(self, part: Part) -> PreparedBatch:
        """Return the batch of a part of a file; what holds no record is rejected."""
        if isinstance(part, RecordBatch):
            return self.prepare_batch(part.items)
        # Asking once for all costs a third of asking for each line, and nearly all are storable.
        is_plain = self._zone is None and is_line_storable_unchanged(b"".join(part.lines))
        prepare = self._prepare_unchanged if is_plain else self._prepare_line
        # One record at a time: a thousand parsed ones do not fit any cache of a CPU.
        lines = enumerate(part.lines, part.number)
        return self._collect_batch(lines, prepare, lambda number: f"{part.name}:{number}")

    def _collect_batch(
        self,
        given: Iterable[tuple[_Where, _Given]],
        prepare: Callable[[_Given], PreparedRecord | None],
        name: Callable[[_Where], str],
    ) -> PreparedBatch:
        best: dict[str, PreparedRecord] = {}
        rejected: list[tuple[str, str]] = []
        others: list[dict[str, Any]] = []
        repeats = 0
        self._projector.received = time.time()
        for where, given_record in given:
            try:
                prepared = prepare(given_record)
                if prepared is None:
                    continue
                key = prepared.rows.core_key
                if key in best:
                    repeats += 1
                    prepared = self._prepare_record(
                        merge_records(unpack_record(best[key].blob), unpack_record(prepared.blob))
                    )
            except (InputError, RecursionError, ValueError) as error:
                other = parse_export_line(given_record)
                if other is not None:
                    others.append(other)
                else:
                    rejected.append((name(where), str(error)))
                continue
            best[key] = prepared
        return PreparedBatch(best, tuple(rejected), repeats, tuple(others))

    def _prepare_line(self, line: bytes) -> PreparedRecord | None:
        """Prepare a line of a file; an empty one is nothing. Raises InputError."""
        if self._zone is None and is_line_storable_unchanged(line):
            return self._prepare_unchanged(line)
        return None if line.isspace() else self._prepare_record(parse_record_line(line))

    def _prepare_unchanged(self, line: bytes) -> PreparedRecord | None:
        """Prepare a line that needs no change to be stored. Raises InputError."""
        if line.isspace():
            return None
        return PreparedRecord(
            self._projector.project(parse_record_line(line)), self._packer.pack(line.strip())
        )

    def _prepare_record(self, given: Mapping[str, Any] | InputError) -> PreparedRecord:
        if isinstance(given, InputError):
            raise given
        record = storable_record(given if self._zone is None else with_time_zone(given, self._zone))
        return PreparedRecord(self._projector.project(record), self._packer.pack_record(record))
