# SPDX-License-Identifier: Apache-2.0
"""Read records from files, folders and streams: JSON lines, or one JSON object or array."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from gdb_epi.errors import InputError

MAX_LINE = 16 << 20  # bytes of one record; ours are 2 to 100 kB
MAX_DOCUMENT = 256 << 20  # bytes of a file that is one JSON document
SUFFIXES = (".jsonl", ".json", ".ndjson")


class TextRecord(dict[str, Any]):
    """A record that still knows its text: what needs no change is stored as it came."""

    line: bytes = b""


Item = tuple[str, "dict[str, Any] | InputError"]


def files_of(paths: Iterable[Path]) -> list[Path]:
    """Return the record files named or inside the folders named. Raises InputError."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = [p for p in sorted(path.rglob("*")) if p.suffix in SUFFIXES and p.is_file()]
            if not inside:
                raise InputError(f"no record files in {path}", hint=f"files {', '.join(SUFFIXES)}")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise InputError(f"no such file: {path}", hint="gdb-epi triage CORE --output FILE")
    return found


def records_in(name: str, stream: BinaryIO) -> Iterator[Item]:
    """Yield (where, record or InputError) for each line; a bad line does not stop the rest."""
    head = stream.readline(MAX_LINE + 1)
    if head and not _is_line(head):
        yield from _document(name, head, stream)
        return
    number = 1
    while head:
        if head.strip():
            yield f"{name}:{number}", _parse(head)
        if len(head) > MAX_LINE and not head.endswith(b"\n"):
            _skip_line(stream)
        head = stream.readline(MAX_LINE + 1)
        number += 1


def _is_line(head: bytes) -> bool:
    """Whether the first line is an object of its own, and not the start of a document."""
    start = head.strip()
    return not start or len(start) > MAX_LINE or not (start in (b"{", b"[") or start[:1] == b"[")


def _document(name: str, head: bytes, stream: BinaryIO) -> Iterator[Item]:
    data = head + stream.read(MAX_DOCUMENT - len(head) + 1)
    if len(data) > MAX_DOCUMENT:
        yield name, InputError(f"larger than {MAX_DOCUMENT} bytes", hint="JSON lines")
        return
    value = _load(data)
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        yield f"{name}[{index}]", item if isinstance(item, dict) else _no_object(item)


def _parse(line: bytes) -> dict[str, Any] | InputError:
    if len(line) > MAX_LINE:
        return InputError(f"a line is longer than {MAX_LINE} bytes")
    value = _load(line)
    if not isinstance(value, dict):
        return _no_object(value)
    record = TextRecord(value)
    record.line = line
    return record


def _load(data: bytes) -> Any:
    try:
        return json.loads(data)
    except RecursionError:
        return InputError("JSON is nested too deeply")
    except ValueError as error:  # JSONDecodeError and UnicodeDecodeError
        return InputError(f"not JSON: {error}")


def _no_object(value: Any) -> InputError:
    return value if isinstance(value, InputError) else InputError("no JSON object")


def _skip_line(stream: BinaryIO) -> None:
    while True:
        rest = stream.readline(MAX_LINE)
        if not rest or rest.endswith(b"\n"):
            return
