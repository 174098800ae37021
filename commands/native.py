# SPDX-License-Identifier: Apache-2.0
"""`epi native`: the native stacks and the mapped objects, for machines."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.argument_types import whole_number
from gdb_epi.errors import Absent, InputError, SoftError
from gdb_epi.registry import argument, command
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.target.api import Module
from gdb_epi.typing_lite import Any

COLUMNS = ("thread", "frame", "pc", "function", "place")


@command(
    "native",
    arguments=(
        argument("--tid", type=whole_number(), action="append", help="only this LWP (may repeat)"),
    ),
)
def list_native_stacks(session: Session, args: Namespace) -> Report:
    """List the native frames of every thread, and the mapped files.

    With --json there are the paths of the files too. Addresses there are numbers; `offset` is the
    address within the file. Where GDB read a file with another build-id than the process ran, names
    are withheld.
    """
    target = session.target
    errors: list[SoftError] = []
    rows: list[list[object]] = []
    threads: list[dict[str, Any]] = []
    for thread in target.threads():
        if args.tid and thread.tid not in args.tid:
            continue
        frames = target.native_frames(thread.tid)
        if isinstance(frames, Absent):
            errors.append(SoftError("native", f"thread {thread.tid}", frames.detail))
            threads.append({"tid": thread.tid, "frames": [], "absent": frames})
            continue
        threads.append({"tid": thread.tid, "frames": [frame._asdict() for frame in frames]})
        for number, frame in enumerate(frames):
            offset = f"+{frame.offset:#x}" if frame.offset is not None else ""
            place = (frame.module or "").rpartition("/")[2] + offset  # as addr2line takes it
            row = [thread.tid, number, f"{frame.pc:#x}", frame.function, place or None]
            rows.append(row)
    if args.tid and not threads:
        raise InputError(f"no thread {args.tid[0]}", hint="epi threads")
    errors += target.soft_errors
    modules = [_module_json(module) for module in target.modules()]
    document: dict[str, Any] = {"threads": threads, "modules": modules}
    folders = getattr(target, "debug_folders", None)
    if folders is not None:
        document["debug_folders"] = folders()
    return Report("native frames", COLUMNS, rows, data=document, soft_errors=errors)


def _module_json(module: Module) -> dict[str, Any]:
    fields = module._asdict()
    if isinstance(module.file, Absent):
        fields["file"], fields["file_absent"] = None, module.file.detail
    return fields
