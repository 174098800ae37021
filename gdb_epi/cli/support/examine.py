# SPDX-License-Identifier: Apache-2.0
"""Examine one core: unpack it, start GDB beside it, decode it, add the provenance."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack

from gdb_epi.cli.support.core_files import CoreInput
from gdb_epi.cli.support.open_core import MAX_SIZE, ScratchFolder, unpacked_core_path
from gdb_epi.cli.support.supervisor import hold_signals
from gdb_epi.errors import NOT_AVAILABLE, Absent, EpiError, SoftError
from gdb_epi.fleet.records.provenance import add_file_facts, add_provenance
from gdb_epi.sidecars.find import SidecarOptions, find_sidecars
from gdb_epi.target.elf_files import sysroot_folders
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.cli.native.cached_stacks import CachedStacks, StacksNamedFromCache
    from gdb_epi.cli.support.gdb_server import GdbServer
    from gdb_epi.cli.support.native_gdb import GdbNativeFrames
    from gdb_epi.target.corefile import CoreFileTarget
    from gdb_epi.target.elf_files import OpenElfFiles

MAX_MEMORY = 4 << 30  # bytes of data of one worker, and of one GDB
NO_SIDECARS = SidecarOptions(beside=False)
NATIVE_MODES = ("never", "auto", "always", "gdb")  # "gdb": as "auto", one for each core


class ExamineOptions(NamedTuple):
    """What the user asked for; the same for all cores of one run."""

    exe: str | None = None
    sysroot: str | None = None
    native: str = "auto"
    gdb: str | None = None
    max_size: int = MAX_SIZE
    prefix: int | None = None
    max_memory: int = MAX_MEMORY
    stacks: bool = False
    locals: bool = False
    secrets: bool = False
    sidecars: SidecarOptions = NO_SIDECARS
    messages: bool = False
    redact_addresses: bool = False
    hmac_key: bytes | None = None
    line: bool = False  # the source line that ran, for a screen; no record holds it


class ExaminedCore(NamedTuple):
    """The record of one core; its stacks and the source line that ran when asked for.

    `tasks` are the names and frames of the tasks that the answer is about, `ended_file` is the
    mapped file that had no data where it was used.
    """

    record: dict[str, Any]
    stacks: dict[str, Any] | None
    line: str = ""
    tasks: Sequence[tuple[str, list[dict[str, Any]]]] = ()
    ended_file: str = ""


class FailedCore(NamedTuple):
    """A core that gave no record; `exit_code` tells unusable input from a failing tool."""

    message: str
    hint: str
    exit_code: int

    def one_line_text(self) -> str:
        """Return the message and the hint as one line."""
        return f"{self.message}; try: {self.hint}" if self.hint else self.message


Result = ExaminedCore | FailedCore


def examine_here(core: CoreInput, options: ExamineOptions) -> Result:
    """Examine a core in this process."""
    scratch = ScratchFolder()
    try:
        return examine_core(core, options, scratch)
    except EpiError as error:
        return FailedCore(str(error), error.hint, error.exit_code)
    finally:
        scratch.remove()


def examine_core(
    core: CoreInput,
    options: ExamineOptions,
    scratch: ScratchFolder,
    server: GdbServer | None = None,
    kept: OpenElfFiles | None = None,
) -> ExaminedCore:
    """Return the record of a core. `scratch` takes the temporary files; the caller removes it.

    `server` is a GDB that is shared with others, if there is one; `kept` are files that stay open
    from core to core.

    Raises InputError when the core cannot be used, EpiError when `native` is "always" and there
    are no native frames.
    """
    with unpacked_core_path(core, scratch, options.max_size, options.prefix) as (path, damaged):
        examined = _decode_core(path, options, scratch, server, kept)
    if damaged is not None:
        examined.record.setdefault("soft_errors", []).append(damaged._asdict())
    record = examined.record
    # What lies beside the core, and last the time of its file.
    pid = (record.get("process") or {}).get("pid")
    is_here = core.remote is None
    sidecars = find_sidecars(core.path, options.sidecars, pid, is_here=is_here)
    if sidecars:
        from gdb_epi.sidecars.merge import add_sidecars

        add_sidecars(record, sidecars)
    if core.remote is None:
        add_provenance(record, core.path, core.compression)
    else:
        from gdb_epi.cli.support.remote import file_name_of_url

        size, modified = core.remote.size, core.remote.modified
        add_file_facts(record, file_name_of_url(core.remote.url), size, modified, core.compression)
    return examined._replace(record=without_private_parts(record, options))


def without_private_parts(record: dict[str, Any], options: ExamineOptions) -> dict[str, Any]:
    """Return the record without what the user wants to keep to himself."""
    if options.hmac_key is not None:
        from gdb_epi.record.user_redaction import pseudonymise

        record = pseudonymise(record, options.hmac_key)
    if options.redact_addresses:
        from gdb_epi.record.user_redaction import redact_addresses

        record = redact_addresses(record)
    return record


def _decode_core(
    path: str,
    options: ExamineOptions,
    scratch: ScratchFolder,
    server: GdbServer | None,
    kept: OpenElfFiles | None,
) -> ExaminedCore:
    from gdb_epi.target.corefile import CoreFileTarget

    target = CoreFileTarget.open(path, exe=options.exe, sysroot=options.sysroot, kept=kept)
    with ExitStack() as at_end:
        if kept is not None:  # others follow: most of what was read need not become garbage
            at_end.callback(vars(target).clear)
            at_end.callback(target.kept.clear)  # searches that rest there name it
        native = _start_native_frames(target, path, options, scratch, server, at_end)
        # GDB works while these are imported and decode.
        from gdb_epi.analysis import analyze
        from gdb_epi.session import Session

        session = Session(target, sysroot=options.sysroot)
        examined = ExaminedCore(analyze(session, is_last_use=kept is not None), None)
        if options.stacks:
            from gdb_epi.record.stacks import stacks_json

            stacks = stacks_json(session.state, locals=options.locals, secrets=options.secrets)
            examined = examined._replace(stacks=stacks)
        if options.line:
            from gdb_epi.render.source_lines import (
                line_that_ran,
                tasks_of_hang_answer,
                truncated_mapped_file,
            )

            examined = examined._replace(
                ended_file=truncated_mapped_file(session, examined.record),
                line=line_that_ran(session, examined.record),
                tasks=tasks_of_hang_answer(session, examined.record),
            )
        if options.messages:
            from gdb_epi.record.user_redaction import add_exception_messages

            add_exception_messages(examined.record, session.state)
        if native is not None:
            why = native.why_no_native_frames()
            if why is not None and options.native == "always":
                raise EpiError(f"no native frames: {why.detail}", hint="--native auto")
            gdb_errors = native.soft_errors()
            if why is not None:
                gdb_errors.append(SoftError("native frames", "gdb", why.detail)._asdict())
            soft_errors = examined.record.setdefault("soft_errors", [])
            soft_errors += [error for error in gdb_errors if error not in soft_errors]
        return examined


def _start_native_frames(
    target: CoreFileTarget,
    path: str,
    options: ExamineOptions,
    scratch: ScratchFolder,
    server: GdbServer | None,
    at_end: ExitStack,
) -> GdbNativeFrames | StacksNamedFromCache | None:
    """Let the target ask GDB, or what GDB has said before; None for no native frames.

    A GDB that is started here is ended by `at_end`.
    """
    if options.native == "never":
        off = Absent(NOT_AVAILABLE, "switched off by --native never")
        target.native_source = lambda _tid: off
        return None
    from gdb_epi.cli.support.native_gdb import (
        GdbNativeFrames,
        NoUsableGdb,
        executable_for_gdb,
        find_gdb,
        why_gdb_is_not_started,
    )

    is_foreign = target.architecture.name.replace("-", "_") != os.uname().machine
    gdb = find_gdb(options.gdb, foreign=is_foreign)
    if gdb is None:
        missing = NoUsableGdb("no gdb found", hint="apt install gdb, --gdb PATH, or --native never")
        _go_without_native_frames(target, options, missing.one_line_text(), missing)
        return None
    exe = executable_for_gdb(target, options.exe)
    refused = why_gdb_is_not_started(target, exe, options.sysroot)
    if refused is not None:
        error = EpiError(f"no native frames: {refused}", hint="--native auto")
        _go_without_native_frames(target, options, refused, error)
        return None
    known_frames = _frames_without_gdb(target, options, gdb, exe)
    answer = None if known_frames is None else known_frames.gdb_answer()
    if answer is not None:
        target.native_source = answer.frames
        return answer
    folder = os.path.join(scratch.path(), "gdb")
    os.mkdir(folder)
    sysroot = options.sysroot
    if len(sysroot_folders(sysroot)) > 1:
        from gdb_epi.cli.native.merged_sysroot import fill_merged_sysroot

        sysroot = fill_merged_sysroot(target, os.path.join(scratch.path(), "root"))
    machine_and_thread = None
    if is_foreign and target.threads():
        machine_and_thread = target.architecture.name, target.threads()[0].tid
        if gdb != find_gdb(options.gdb):
            server = None  # it is a GDB for cores of this machine
    learn = None if known_frames is None else known_frames.learn_from_gdb
    with hold_signals():
        native = GdbNativeFrames(path, exe, sysroot, gdb, folder, server, learn, machine_and_thread)
        at_end.callback(native.close)
    target.native_source = native.frames
    return native


def _go_without_native_frames(
    target: CoreFileTarget, options: ExamineOptions, why: str, error: EpiError
) -> None:
    """Let the target say why it has no native frames; raise the error where they are a must."""
    if options.native == "always":
        raise error
    absent = Absent(NOT_AVAILABLE, why)
    target.native_source = lambda _tid: absent
    target.soft_errors.append(SoftError("native frames", "gdb", why))


def _frames_without_gdb(
    target: CoreFileTarget, options: ExamineOptions, gdb: str, exe: str | None
) -> CachedStacks | None:
    """Return the frames that need no GDB, as far as it has named such before; None to ask GDB."""
    if options.native == "gdb" or not target.architecture.decodes:
        return None
    modules = target.modules()
    is_own = exe is None or (bool(modules) and exe == modules[0].file)
    if not is_own or len(sysroot_folders(options.sysroot)) > 1:
        return None
    from gdb_epi.cli.native.cached_stacks import CachedStacks, frame_name_folder

    return CachedStacks(target, gdb, options.sysroot, frame_name_folder())
