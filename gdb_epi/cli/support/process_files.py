# SPDX-License-Identifier: Apache-2.0
"""The options that name the files of a process: its executable, and where its file system lies."""

from __future__ import annotations

import os

from gdb_epi.errors import InputError
from gdb_epi.target.elf_files import SEVERAL
from gdb_epi.typing_lite import ArgumentParser, Namespace, _ArgumentGroup


def add_core_argument(parser: ArgumentParser) -> None:
    """Declare CORE."""
    words = "a core dump, packed or not, or the number of a process"
    parser.add_argument("core", metavar="CORE", help=words)


def add_process_file_options(parser: ArgumentParser | _ArgumentGroup) -> None:
    """Declare --exe and --sysroot."""
    add = parser.add_argument
    add("--exe", metavar="FILE", help="the executable, when it is not where the core says")
    add(
        "--sysroot",
        action="append",
        metavar="DIR",
        help="the folder that holds the file system of the process; several: the first that fits",
    )


def process_files(args: Namespace) -> tuple[str | None, str | None]:
    """Return the executable, and the sysroot as `target.files.sysroot_folders` reads it.

    Raises InputError when one of them is not here.
    """
    if args.exe is not None and not os.path.isfile(args.exe):
        what = "a folder" if os.path.isdir(args.exe) else "no such file"
        raise InputError(f"--exe {args.exe}: {what}", hint="name the executable that died")
    for root in args.sysroot or ():
        if not os.path.isdir(root):
            raise InputError(f"--sysroot {root}: no such folder", hint="check the path")
    return args.exe, SEVERAL.join(args.sysroot or ()) or None
