# SPDX-License-Identifier: Apache-2.0
"""Where a command's text goes: GDB's own output, or a file that appears whole."""

from __future__ import annotations

import os

import gdb

from gdb_epi.errors import EpiError
from gdb_epi.private_files import replace_file
from gdb_epi.render.escape import escape, in_charset


def show(text: str) -> None:
    """Write to GDB's standard output, page by page as the user has set it.

    gdb.write() raises ValueError on NUL, and writes UTF-8 whatever the host's charset is.
    """
    text = text.replace("\0", "\\x00")
    if not text.endswith("\n"):
        text += "\n"
    gdb.write(in_host_charset(text))


class TerminalLine:
    """How far a long search is, on a line of the terminal that goes away (session.HostProgress).

    Written past GDB: neither its pager nor what it captures for `pipe` is to see it.
    """

    def show(self, done: int, total: int) -> None:
        """Draw the line anew."""
        percent = 100 * done // max(total, 1)
        os.write(2, f"\r{percent} % of {total >> 20} MB; Ctrl-C ends it\x1b[K".encode())

    def clear(self) -> None:
        """Take the line away."""
        os.write(2, b"\r\x1b[K")


def gdb_error(line: str) -> gdb.GdbError:
    """Return an error whose text may hold names from the core: nothing in it steers a terminal.

    GDB loses a message with a lone surrogate, or with what the host's charset lacks.
    """
    return gdb.GdbError(in_host_charset(escape(line)))


def in_host_charset(text: str) -> str:
    """Return a text that GDB can show or make a value of; what its charset lacks as escapes."""
    return in_charset(text, gdb.host_charset())


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
