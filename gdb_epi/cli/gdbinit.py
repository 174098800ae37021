# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi gdbinit`: the one line that makes `source gdb_epi` work in every GDB session."""

from __future__ import annotations

import os
import re
from argparse import ArgumentParser, Namespace
from pathlib import Path

from gdb_epi.errors import EpiError, InputError

GROUP = "Set-up"
HELP = "print, install or remove the line that lets GDB find `source gdb_epi`"

# The word in the first marker says what else has to be taken back with the block.
PLAIN, JOINED, CREATED = "", " (and the line end before)", " (and the file)"
BEGIN = "# >>> gdb-epi{extra}: removed by `gdb-epi gdbinit --uninstall`\n"
END = "# <<< gdb-epi\n"
_BLOCK = re.compile(
    rb"(?P<before>\n?)# >>> gdb-epi(?P<extra>[^:\n]*):[^\n]*\n(?:[^\n]*\n)*?# <<< gdb-epi\n"
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--install", action="store_true", help="add the line, once")
    action.add_argument("--uninstall", action="store_true", help="take it out again")
    parser.add_argument(
        "--frames", action="store_true", help="GDB's own `bt' shows Python frames, in every session"
    )
    parser.add_argument(
        "--printers", action="store_true", help="GDB's own `print' shows Python objects too"
    )
    parser.add_argument("--file", metavar="F", help="instead of the file that GDB reads")


def run(args: Namespace) -> None:
    """Print the line, or put it into a gdbinit file, or take it out."""
    line = directory_line(Path(__file__).resolve().parent.parent)
    settings = [name for name in ("frames", "printers") if getattr(args, name)]
    if settings:
        line += "\nsource gdb_epi" + "".join(f"\nset epi {name} auto" for name in settings)
    file = Path(args.file) if args.file else gdbinit_file()
    if args.install:
        indented = line.replace("\n", "\n  ")
        usage = "GDB loads it by itself" if settings else "In GDB, type: source gdb_epi"
        print(f"{file}: {install_block_in_gdbinit(file, line)}\n  {indented}\n{usage}")
    elif args.uninstall:
        print(f"{file}: {remove_block_from_gdbinit(file)}")
    else:
        print(line)


def directory_line(package: Path) -> str:
    """Return the `directory` command that puts a folder on GDB's source path.

    Raises InputError for a folder that GDB cannot name: its source path is split at colons.
    """
    text = str(package)
    if ":" in text or "\n" in text:
        raise InputError(
            f"GDB's source path cannot hold {text!r}",
            hint=f"in GDB, source {package / 'gdb_epi_bootstrap.py'}",
        )
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'directory "{quoted}"'


def gdbinit_file() -> Path:
    """Return the start-up file that GDB reads: one of two, the XDG one first (GDB 11 and later)."""
    config = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    modern = Path(config) / "gdb" / "gdbinit"
    return modern if modern.exists() else Path.home() / ".gdbinit"


def install_block_in_gdbinit(file: Path, line: str) -> str:
    """Put the marked block with `line` into the file exactly once; return what was done."""
    before = _read_file_if_present(file)
    wanted = os.fsencode(line)
    block_match = _BLOCK.search(before or b"")
    here = before is not None and set(wanted.splitlines()) <= set(before.splitlines())
    if block_match is None and here:
        return "has the line already"
    if before is not None and block_match is not None:
        extra = block_match["extra"].decode("ascii", "replace")
        block = block_match["before"] + _marked_block(wanted, extra)
        after = before[: block_match.start()] + block + before[block_match.end() :]
        if after == before:
            return "has the line already"
        _replace_file_behind_link(file, after)
        return "updated"
    extra = CREATED if before is None else JOINED if before[-1:] not in (b"", b"\n") else PLAIN
    joint = b"\n" if extra == JOINED else b""
    _replace_file_behind_link(file, (before or b"") + joint + _marked_block(wanted, extra))
    return "added"


def remove_block_from_gdbinit(file: Path) -> str:
    """Take the marked block out, and whatever came with it; return what was done."""
    before = _read_file_if_present(file)
    block_match = _BLOCK.search(before or b"")
    if before is None or block_match is None:
        return "holds nothing of gdb-epi"
    extra = block_match["extra"].decode("ascii", "replace")
    # A line end that we added goes too, unless somebody wrote more after the block.
    joined = extra == JOINED and block_match.end() == len(before)
    start = block_match.start() if joined else block_match.end("before")
    after = before[:start] + before[block_match.end() :]
    if extra == CREATED and not after:
        file.unlink()
        return "removed (gdb-epi had made it)"
    _replace_file_behind_link(file, after)
    return "restored"


def _marked_block(line: bytes, extra: str) -> bytes:
    return BEGIN.format(extra=extra).encode() + line + b"\n" + END.encode()


def _read_file_if_present(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}", hint="--file F") from None


def _replace_file_behind_link(file: Path, content: bytes) -> None:
    """Replace the file in one step; a symbolic link (dotfiles in a repository) stays one."""
    real = file.resolve()
    temporary = real.with_name(f".{real.name}.gdb-epi")
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        if real.exists():
            temporary.chmod(real.stat().st_mode & 0o7777)
        temporary.replace(real)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise EpiError(f"cannot write {file}: {error.strerror}", hint="--file F") from None
