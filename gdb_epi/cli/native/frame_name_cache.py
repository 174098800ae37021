# SPDX-License-Identifier: Apache-2.0
"""What GDB called the places in a file's code, kept on disk.

A place has the same names in every process: the inlined functions and the function, with their
lines, and the functions between a caller and what runs that left no frame. They depend on the file,
on its separate debug information and on the GDB, so the key of a file's names is made of these.
Names that cannot be read, or are not as we write them, count as none: then GDB is asked again.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from gdb_epi.private_files import check_own_folder, make_private_folder, private_opener
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import sha256_hex

FORMAT = 1
MAX_FILE = 4 << 20  # bytes
MAX_CACHE = 128 << 20  # bytes of all; the oldest go
MAX_NAMES = 200  # at one place


class FrameName(NamedTuple):
    """What GDB calls one frame; `kind` is that of a NativeFrame."""

    function: str | None
    filename: str | None
    lineno: int | None
    kind: str


class TailCallFrame(NamedTuple):
    """A frame of a function that has jumped on; `in_caller`: in its file, not in the callee's."""

    in_caller: bool
    offset: int
    named: FrameName


class FrameNamesOfFile:
    """The names of the places in one file's code."""

    def __init__(self, key: str) -> None:
        self.key = key
        self._places: dict[str, list[Any]] = {}
        self._jumps: dict[str, list[Any]] = {}
        self.is_new = False  # something is in it that is not on disk

    def names_at(self, offset: int, *, is_exact: bool) -> list[FrameName] | None:
        """Return the names at a place, innermost first; None when GDB has not said them."""
        rows = self._places.get(_place_key(offset, is_exact=is_exact))
        names = None if rows is None else [_parse_frame_name(row) for row in rows]
        return names if names and None not in names else None  # type: ignore[return-value]

    def add_names(self, offset: int, names: list[FrameName], *, is_exact: bool) -> None:
        """Keep the names at a place."""
        word = _place_key(offset, is_exact=is_exact)
        if word not in self._places and 0 < len(names) <= MAX_NAMES:
            self._places[word] = [list(named) for named in names]
            self.is_new = True

    def tail_calls_between(self, callee: str, caller: int) -> list[TailCallFrame] | None:
        """Return what lies between a caller's place in this file and a function."""
        rows = self._jumps.get(f"{callee}:{caller:x}")
        jumps = None if rows is None else [_parse_cached_tail_call(row) for row in rows]
        return jumps if jumps is not None and None not in jumps else None  # type: ignore[return-value]

    def add_tail_calls(self, callee: str, caller: int, jumps: list[TailCallFrame]) -> None:
        """Keep what lies between two frames; an empty list tells that there is nothing."""
        word = f"{callee}:{caller:x}"
        if word not in self._jumps and len(jumps) <= MAX_NAMES:
            self._jumps[word] = [[jump.in_caller, jump.offset, *jump.named] for jump in jumps]
            self.is_new = True

    def add_from_disk(self, content: object) -> None:
        """Add what was read from disk, as far as it has our form."""
        for mine, section in ((self._places, "places"), (self._jumps, "jumps")):
            rows = content.get(section) if isinstance(content, dict) else None
            for word, row in rows.items() if isinstance(rows, dict) else ():
                if isinstance(row, list):
                    mine.setdefault(word, row)

    def to_json(self) -> dict[str, Any]:
        """Return what is written."""
        return {"places": self._places, "jumps": self._jumps}


def _place_key(offset: int, *, is_exact: bool) -> str:
    return f"{offset:x}{'.' if is_exact else ''}"


def _parse_frame_name(row: object) -> FrameName | None:
    if not isinstance(row, list) or len(row) != len(FrameName._fields):
        return None
    function, filename, lineno, kind = row
    if not (function is None or isinstance(function, str)) or not isinstance(kind, str):
        return None
    if not (filename is None or isinstance(filename, str)):
        return None
    if lineno is not None and type(lineno) is not int:
        return None
    return FrameName(function, filename, lineno, kind)


def _parse_cached_tail_call(row: object) -> TailCallFrame | None:
    if not isinstance(row, list) or len(row) < 2:
        return None
    named = _parse_frame_name(row[2:])
    if named is None or type(row[0]) is not bool or type(row[1]) is not int:
        return None
    return TailCallFrame(row[0], row[1], named)


class FrameNameCache:
    """The folder that holds the names of each file; where it cannot be used, there are none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def is_usable(self) -> bool:
        """Tell whether what is written can be read later; make the folder if need be."""
        try:
            make_private_folder(self._folder)
            check_own_folder(self._folder)
        except OSError:
            return False
        return os.access(self._folder, os.R_OK | os.W_OK | os.X_OK)

    def load(self, key: str) -> FrameNamesOfFile:
        """Return the names of a file as they are on disk."""
        names = FrameNamesOfFile(key)
        names.add_from_disk(self.read(key))
        return names

    def save(self, names: FrameNamesOfFile) -> None:
        """Write the names of a file, with what others have written since they were read."""
        if names.is_new:
            names.add_from_disk(self.read(names.key))
            self.write(names.key, names.to_json())
            names.is_new = False

    def read(self, key: str) -> object:
        """Return what is written under a key; None when that cannot be had, or is damaged."""
        try:
            check_own_folder(self._folder)
            with open(self._folder / f"{key}.json", "rb", opener=_open_without_links) as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return None
                digest, _, text = file.read(MAX_FILE).partition(b"\n")
        except OSError:
            return None
        if sha256_hex(text).encode() != digest:
            return None
        try:
            content: object = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return content

    def write(self, key: str, content: Mapping[str, Any]) -> None:
        """Write under a key what read() returns; a disk that is full is no trouble."""
        text = json.dumps(content, separators=(",", ":")).encode("ascii")
        if len(text) > MAX_FILE - 100:
            return
        unfinished = self._folder / f"{key}.{os.getpid()}"
        with suppress(OSError):
            make_private_folder(self._folder)
            check_own_folder(self._folder)
            is_first = not (self._folder / f"{key}.json").exists()
            try:
                with open(unfinished, "xb", opener=private_opener) as file:
                    file.write(sha256_hex(text).encode() + b"\n" + text)
                unfinished.replace(self._folder / f"{key}.json")
            finally:
                unfinished.unlink(missing_ok=True)
            if is_first:
                files = sorted(self._cached_files_with_age(), reverse=True)
                total = 0
                for _, size, path in files:
                    total += size
                    if total > MAX_CACHE:
                        path.unlink(missing_ok=True)

    def _cached_files_with_age(self) -> Iterator[tuple[float, int, Path]]:
        for path in self._folder.iterdir():
            with suppress(OSError):
                status = path.lstat()
                yield status.st_mtime, status.st_size, path


def _open_without_links(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
