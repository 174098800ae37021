# SPDX-License-Identifier: Apache-2.0
"""systemd-coredump's journal entries, as `journalctl -o json` or `-o export` print them.

Fields: systemd-coredump(8), "COREDUMP_*"; formats: systemd.io/JOURNAL_EXPORT_FORMATS. Values that
hold secrets (COREDUMP_ENVIRON, CMDLINE, OPEN_FDS, CWD, PROC_*) go through the same lists as the
core's own, or are not looked at.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from itertools import islice

from gdb_epi.sidecars.types import (
    MAX_SECONDS,
    Sidecar,
    groups_from_environment,
    nonempty_groups,
    parse_decimal,
    process_identity,
    read_capped,
    redacted_text,
    strip_compression_suffix,
)
from gdb_epi.typing_lite import Any

MAX_ENTRIES = 10_000
MAX_FIELDS = 1024  # of one entry
MAX_VALUE = 1 << 20  # bytes; COREDUMP itself is passed over
MAX_VARIABLES = 4096
Entry = dict[str, str]


def read_journal(path: str, core: str, pid: int | None) -> Sidecar | None:
    """Return what the entry about a core says; None when no entry is about it.

    `core` is the path of the core: an entry names it in COREDUMP_FILENAME, else its pid and the
    only entry of that pid decide. Raises OSError.
    """
    entries = [
        entry for entry in parse_journal_entries(read_capped(path)) if "COREDUMP_PID" in entry
    ]
    chosen = _entry_of_core(entries, os.path.basename(core), pid)
    name = os.path.basename(path)
    if chosen is None:
        return Sidecar("journal", name, {}, {}, (_why_no_entry(entries),))
    return Sidecar("journal", name, _record_groups(chosen), _identity_of_process(chosen))


def _entry_of_core(entries: list[Entry], core: str, pid: int | None) -> Entry | None:
    named = [
        e
        for e in entries
        if _file_name_without_compression(e.get("COREDUMP_FILENAME", ""))
        == _file_name_without_compression(core)
    ]
    if len(named) == 1:
        return named[0]
    same = [e for e in entries if pid is not None and parse_decimal(e["COREDUMP_PID"]) == pid]
    if len(same) == 1:
        return same[0]
    return entries[0] if len(entries) == 1 and "COREDUMP_FILENAME" not in entries[0] else None


def _file_name_without_compression(path: str) -> str:
    return strip_compression_suffix(os.path.basename(path))


def _why_no_entry(entries: list[Entry]) -> str:
    if not entries:
        return "holds no entry of systemd-coredump"
    return f"none of its {len(entries)} entries is about this core"


def parse_journal_entries(journal: bytes) -> Iterator[Entry]:
    """Yield the entries of a journal in either format, at most MAX_ENTRIES."""
    start = journal.lstrip()[:1]
    source = _json_entries(journal) if start in (b"{", b"[", b"\x1e") else _export_entries(journal)
    yield from islice(source, MAX_ENTRIES)


def _json_entries(journal: bytes) -> Iterator[Entry]:
    lines = journal.splitlines()
    if journal.lstrip()[:1] == b"[" or (lines and lines[0].strip() == b"{"):  # json, json-pretty
        lines = [journal]
    for line in lines:
        try:
            document = json.loads(line.lstrip(b"\x1e"))
        except (ValueError, RecursionError):
            continue
        for entry in document if isinstance(document, list) else [document]:
            if isinstance(entry, dict):
                yield _entry_texts(entry)


def _entry_texts(entry: Mapping[str, Any]) -> Entry:
    """Return the values as texts: a list is bytes, or a repeated field, whose first one counts."""
    texts: Entry = {}
    for key, value in list(entry.items())[:MAX_FIELDS]:
        if isinstance(value, list) and value and isinstance(value[0], str):
            value = value[0]
        elif isinstance(value, list) and len(value) <= MAX_VALUE and all(map(_is_byte, value)):
            value = bytes(value).decode("utf-8", "backslashreplace")
        if isinstance(value, str) and len(value) <= MAX_VALUE:
            texts[key] = value
    return texts


def _is_byte(value: object) -> bool:
    return isinstance(value, int) and 0 <= value < 256


def _export_entries(journal: bytes) -> Iterator[Entry]:
    entry: Entry = {}
    at = 0
    while at < len(journal):
        end = journal.find(b"\n", at)
        end = len(journal) if end < 0 else end
        line = journal[at:end]
        at = end + 1
        if not line:
            if entry:
                yield entry
            entry = {}
            continue
        name, equals, value = line.partition(b"=")
        if not equals:  # binary: 8 bytes of length, the bytes, a newline
            size = int.from_bytes(journal[at : at + 8], "little")
            value = journal[at + 8 : at + 8 + min(size, MAX_VALUE + 1)]
            at += 8 + size + 1
        if len(value) <= MAX_VALUE and len(entry) < MAX_FIELDS:
            entry.setdefault(
                name.decode("ascii", "replace"), value.decode("utf-8", "backslashreplace")
            )
    if entry:
        yield entry


def _identity_of_process(entry: Entry) -> dict[str, Any]:
    signo = entry.get("COREDUMP_SIGNAL")
    return process_identity(entry.get("COREDUMP_PID"), signo, entry.get("COREDUMP_COMM"))


def _record_groups(entry: Entry) -> dict[str, dict[str, Any]]:
    micro = parse_decimal(entry.get("COREDUMP_TIMESTAMP")) or parse_decimal(
        entry.get("__REALTIME_TIMESTAMP") or entry.get("_SOURCE_REALTIME_TIMESTAMP")
    )
    seconds = None if micro is None or micro / 1e6 > MAX_SECONDS else round(micro / 1e6, 6)
    groups = nonempty_groups(
        "journal",
        time={"crash_ts": seconds},
        host={
            "hostname": redacted_text(entry.get("COREDUMP_HOSTNAME") or entry.get("_HOSTNAME")),
            "machine_id": redacted_text(entry.get("_MACHINE_ID")),
            "boot_id": redacted_text(entry.get("_BOOT_ID")),
        },
        container={"cgroup": redacted_text(entry.get("COREDUMP_CGROUP"))},
        job={
            "unit": redacted_text(entry.get("COREDUMP_UNIT")),
            "slice": redacted_text(entry.get("COREDUMP_SLICE")),
        },
    )
    environ = entry.get("COREDUMP_ENVIRON", "").split("\n")[:MAX_VARIABLES]
    for name, group in groups_from_environment(environ, "journal").items():
        groups[name] = {**group, **groups.get(name, {})}
    return groups
