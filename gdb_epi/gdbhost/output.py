# SPDX-License-Identifier: Apache-2.0
"""The output of a command: GDB's own output, or a file that is replaced in one step."""

from __future__ import annotations

import os

import gdb

from gdb_epi.errors import EpiError
from gdb_epi.private_files import replace_file
from gdb_epi.render.escape import escape, replace_missing_characters


def show_text(text: str) -> None:
    """Write to GDB's standard output, page by page as the user has set it.

    gdb.write() raises ValueError on NUL, and writes UTF-8 whatever the host's charset is.
    """
    text = text.replace("\0", "\\x00")
    if not text.endswith("\n"):
        text += "\n"
    gdb.write(in_host_charset(text))


class ProgressLine:
    """The progress of a long search, on a line of the terminal that goes away (SearchProgress).

    It bypasses GDB: neither GDB's pager nor `pipe` is to see it.
    """

    def show(self, done: int, total: int) -> None:
        """Draw the line anew."""
        percent = 100 * done // max(total, 1)
        os.write(2, f"\r{percent} % of {total >> 20} MB; Ctrl-C ends it\x1b[K".encode())

    def clear(self) -> None:
        """Take the line away."""
        os.write(2, b"\r\x1b[K")


def gdb_error(line: str) -> gdb.GdbError:
    """Return an error whose text, which may hold names from the core, cannot steer a terminal.

    GDB loses a message with a lone surrogate, or with what the host's charset lacks.
    """
    return gdb.GdbError(in_host_charset(escape(line)))


def in_host_charset(text: str) -> str:
    """Return a text that GDB can show or turn into a value; missing characters become escapes."""
    return replace_missing_characters(text, gdb.host_charset())


def write_file(name: str, text: str) -> None:
    """Replace a file by `text` in one step; write straight into a pipe or a device.

    Raises EpiError when the file cannot be written.
    """
    from pathlib import Path

    path = Path(name).expanduser()
    content = text.encode("utf-8", "backslashreplace")
    if not content.endswith(b"\n"):
        content += b"\n"
    try:
        replace_file(path, content)
    except OSError as error:
        raise EpiError(
            f"cannot write {path}: {error.strerror or error}", hint="--output with another path"
        ) from None
