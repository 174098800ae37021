# SPDX-License-Identifier: Apache-2.0
"""`epi list`: the source around the line that a Python frame was running."""

from __future__ import annotations

from gdb_epi.errors import InputError, SoftError
from gdb_epi.lean import TYPE_CHECKING
from gdb_epi.registry import argument, command
from gdb_epi.report import Listing, Report

if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path

    from gdb_epi.session import Session

MAX_SOURCE_BYTES = 16 << 20
MAX_CONTEXT = 1000
FROM_DISK = "read from the file on this machine now; it may have changed since the crash"


@command(
    "list",
    arguments=(
        argument("frame", nargs="?", type=int, default=0, help="Python frame number, 0 innermost"),
        argument("--context", type=int, default=5, metavar="N", help="lines before and after (5)"),
    ),
)
def list_source(session: Session, args: Namespace) -> Report:
    """Show the source around the line that a Python frame was running.

    Works on the selected thread, else on the crashed one. The text comes from the file on this
    machine (below the sysroot, when one is set), which may differ from what ran.
    """
    frame = session.python_frame(args.frame)
    path = _path(frame.filename, session.options.get("sysroot"))
    text = read_source(path)
    errors = [SoftError("source", frame.filename, FROM_DISK)]
    lines = text.splitlines()
    line = frame.lineno or 1
    if line > len(lines):
        raise InputError(
            f"{path} has {len(lines)} lines, but line {line} was running: another version",
            hint="check out the version that ran",
        )
    around = max(0, min(args.context, MAX_CONTEXT))
    first = max(1, line - around)
    shown = lines[first - 1 : line + around]
    title = f"{frame.qualname or frame.name} at {frame.filename}:{line}"
    data = {"filename": frame.filename, "first": first, "current": line, "lines": shown}
    listing = Listing(frame.filename, first, line, shown)
    return Report(title, data=data, soft_errors=errors, listing=listing)


def _path(filename: str, sysroot: object) -> Path:
    from pathlib import Path

    if filename.startswith("<") or not filename:
        raise InputError(f"{filename!r} is no file: the code was compiled from a string")
    if sysroot and filename.startswith("/"):
        return Path(str(sysroot)) / filename[1:]
    return Path(filename)


def read_source(path: Path) -> str:
    """Return a source file's text, in its PEP 263 encoding, damaged bytes replaced.

    Raises InputError. Only regular files are read: the name comes out of the core.
    """
    import io
    import tokenize

    try:
        if not path.is_file():
            raise InputError(f"{path}: no such file here", hint="gdb's `set sysroot'")
        with path.open("rb") as stream:
            raw = stream.read(MAX_SOURCE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}", hint="check the path") from None
    if len(raw) > MAX_SOURCE_BYTES:
        raise InputError(f"{path}: larger than {MAX_SOURCE_BYTES} bytes")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    except SyntaxError:
        encoding = "utf-8"
    return raw.decode(encoding, "replace")
