# SPDX-License-Identifier: Apache-2.0
"""Cut hostile text into bounded, clean lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

MAX_BYTES = 256 << 20  # of one text
MAX_LINE = 16 << 10  # characters of one line; names of 100 kB are cut here
_CHUNK = 1 << 20

_NOISE = re.compile(
    r"\x1b\[[0-9;?]{0,16}[A-Za-z]"
    r"|-{2,3}Type <(?:RET|return)> (?:for more|to continue), (?:or )?q"
    r"(?: <(?:RET|return)>)? to quit(?:, c to continue without paging)?-{2,3}\r?"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def read_lines(stream: BinaryIO, notes: list[str]) -> Iterator[tuple[int, str]]:
    """Yield (number, text) of each line; cuts and bytes that are no UTF-8 go into `notes`."""
    number, left = 0, MAX_BYTES
    while left > 0:
        raw = stream.readline(min(_CHUNK, left))
        if not raw:
            return
        number += 1
        left -= len(raw)
        cut = len(raw) > MAX_LINE
        while left > 0 and not raw.endswith(b"\n") and cut:
            rest = stream.readline(min(_CHUNK, left))
            left -= len(rest)
            if not rest or rest.endswith(b"\n"):
                break
        if cut:
            _note(notes, f"line {number} and perhaps others were cut at {MAX_LINE} characters")
        yield number, clean_line(raw[:MAX_LINE], notes)
    if stream.read(1):
        _note(notes, f"only the first {MAX_BYTES} bytes were read")


def clean_line(raw: bytes, notes: list[str]) -> str:
    """Return a line without colours, pager questions and controls."""
    text = raw.decode("utf-8", "backslashreplace")
    if "\\x" in text and not _is_utf8(raw):
        _note(notes, "bytes that are no UTF-8 are shown as \\xNN")
    if "\x1b" in text or "Type <" in text:
        text = _NOISE.sub("", text)
    return _CONTROL.sub("", text.rstrip("\r\n")) if not text.isprintable() else text


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(raw) - 4  # a cut in the middle of a character
    return True


def _note(notes: list[str], text: str) -> None:
    # One note of each kind, whatever the line.
    kind = re.sub(r"\d+", "N", text)
    if all(re.sub(r"\d+", "N", old) != kind for old in notes):
        notes.append(text)
