# SPDX-License-Identifier: Apache-2.0
"""Read records from files, folders and streams: JSON lines, or one JSON object or array."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from gdb_epi.errors import InputError
from gdb_epi.util import parse_json_object

MAX_LINE = 16 << 20  # bytes of one record; ours are 2 to 100 kB
GZIP = b"\x1f\x8b"
BINARY = (b"\x7fELF", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", GZIP, b"BZh")  # cores, packed or not
MAX_DOCUMENT = 256 << 20  # bytes of a file that is one JSON document
LINES_OF_PART = 2_000  # lines that are worked on together, and go into one transaction
MAX_PART = 32 << 20  # bytes of those
SUFFIXES = (".jsonl", ".json", ".ndjson")
PACKED = ".gz"  # behind one of them

# Lines of an export that hold no record (archive.py).
EXPORT_PREFIX, EXPORT_NUMBER = "gdb-epi/fleet-", "/1"
RECEIVED, EXPOSURE, FINDING, MARK, NOTICE, REJECTED, PRUNED = EXPORT_KINDS = (
    "received", "exposure", "finding", "mark", "notice", "rejected", "pruned",
)  # fmt: skip

Item = tuple[str, "dict[str, Any] | InputError"]


def find_record_files(paths: Iterable[Path]) -> list[Path]:
    """Return the record files named or inside the folders named. Raises InputError."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = [p for p in sorted(path.rglob("*")) if _has_record_suffix(p) and p.is_file()]
            if not inside:
                raise InputError(f"no record files in {path}", hint=f"files {', '.join(SUFFIXES)}")
            files += inside
        # `<(...)` of a shell is a pipe; what a shell cannot give is looked at by who opens it.
        elif path.is_file() or path.is_fifo() or path.is_char_device():
            files.append(path)
        else:
            raise InputError(f"no such file: {path}", hint="gdb-epi triage CORE --output FILE")
    return files


def _has_record_suffix(path: Path) -> bool:
    name = path.name.removesuffix(PACKED)
    return name.endswith(SUFFIXES)


class LineBatch(NamedTuple):
    """Some lines of a stream of JSON lines; `number` is that of the first."""

    name: str
    number: int
    lines: list[bytes]


class RecordBatch(NamedTuple):
    """Some records (or what is wrong) that did not come as lines."""

    items: list[Item]


Part = LineBatch | RecordBatch


def read_record_files(paths: Iterable[Path], stdin: BinaryIO | None = None) -> Iterator[Part]:
    """Yield what the files hold, in parts that are worked on together; then standard input."""
    for path in paths:
        try:
            with path.open("rb") as stream:
                yield from read_record_stream(str(path), _open_unpacked(stream))
        except FileNotFoundError:
            continue  # another ingest took this spool file
        except (EOFError, OSError, zlib.error) as error:
            why = getattr(error, "strerror", None) or str(error)
            yield RecordBatch([(str(path), InputError(why))])
    if stdin is not None:
        yield from read_record_stream("stdin", stdin)


def _open_unpacked(stream: BufferedReader) -> BinaryIO:
    """Return the stream, or what is inside where it is packed by gzip: `records.jsonl.gz`."""
    if not stream.peek(2).startswith(GZIP):
        return stream
    return cast("BinaryIO", gzip.open(stream))


def read_record_stream(name: str, stream: BinaryIO) -> Iterator[Part]:
    """Yield the lines of a stream in parts; of a JSON document its records."""
    head = stream.readline(MAX_LINE + 1)
    if head.startswith(BINARY):
        yield RecordBatch(
            [(name, InputError("binary data, no records: a core goes to gdb-epi triage"))]
        )
        return
    if head and not _is_json_lines(head):
        records = _read_document(name, head, stream)
        while items := list(islice(records, LINES_OF_PART)):
            yield RecordBatch(items)
        return
    first, lines, size = 1, [], 0
    while head:
        lines.append(head)
        size += len(head)
        if len(head) > MAX_LINE and not head.endswith(b"\n"):
            while (rest := stream.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass  # the rest of that line
        if len(lines) == LINES_OF_PART or size > MAX_PART:
            yield LineBatch(name, first, lines)
            first, lines, size = first + len(lines), [], 0
        head = stream.readline(MAX_LINE + 1)
    if lines:
        yield LineBatch(name, first, lines)


def _is_json_lines(head: bytes) -> bool:
    """Whether the first line is an object of its own, and not the start of a document."""
    start = head.strip()
    return not start or len(start) > MAX_LINE or not (start in (b"{", b"[") or start[:1] == b"[")


def _read_document(name: str, head: bytes, stream: BinaryIO) -> Iterator[Item]:
    data = head + stream.read(MAX_DOCUMENT - len(head) + 1)
    if len(data) > MAX_DOCUMENT:
        yield name, InputError(f"larger than {MAX_DOCUMENT} bytes", hint="JSON lines")
        return
    value = _load_document(data)
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        yield f"{name}[{index}]", item if isinstance(item, dict) else _error_of_no_json_object(item)


def parse_record_line(line: bytes) -> dict[str, Any]:
    """Return the record of a line. Raises InputError."""
    if len(line) > MAX_LINE:
        raise InputError(f"a line is longer than {MAX_LINE} bytes")
    value = _load_document(line)
    if not isinstance(value, dict):
        raise _error_of_no_json_object(value)
    return value


_DECODE = json.JSONDecoder().raw_decode


def _load_document(document: bytes) -> Any:
    try:
        if document.isascii() and document[:1] == b"{":
            # What json.loads does, without its guess of the encoding.
            text = document.decode("ascii").rstrip()
            value, end = _DECODE(text)
            if end == len(text):
                return value
        return json.loads(document)
    except RecursionError:
        return InputError("JSON is nested too deeply")
    except ValueError as error:  # JSONDecodeError and UnicodeDecodeError
        return InputError(f"not JSON: {error}")


def _error_of_no_json_object(value: Any) -> InputError:
    return value if isinstance(value, InputError) else InputError("no JSON object")


def parse_export_line(given: object) -> dict[str, Any] | None:
    """Return the object of a line of ours that is no record; None for any other line."""
    if isinstance(given, bytes):
        if EXPORT_PREFIX.encode() not in given:
            return None
        given = parse_json_object(given)
    if not isinstance(given, dict) or not isinstance(given.get("rows"), list):
        return None
    return given if kind_of_export_line(given) in EXPORT_KINDS else None


def kind_of_export_line(line: Mapping[str, Any]) -> str:
    """Return what the rows of a line of an export are; "" for any other line."""
    schema = str(line.get("schema"))
    if not schema.startswith(EXPORT_PREFIX):
        return ""
    return schema.removeprefix(EXPORT_PREFIX).removesuffix(EXPORT_NUMBER)
