# SPDX-License-Identifier: Apache-2.0
"""A number in place of a core: GDB attaches to that process for a moment, and lets it go on.

GDB reads and never writes, runs nothing in the process, and detaches when it ends, however it ends:
the kernel lets a process go whose tracer died. A process that was running is seen to run again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from gdb_epi.cli.support.messages import write_to_stderr
from gdb_epi.errors import EXIT_DONE, EpiError, InputError, UsageError
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple, Namespace

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 60  # for all that is asked: a process that stands still answers nobody
_TICK = 0.02
_PYTHON_NAMES = (b"_PyRuntime", b"Py_Initialize", b"Py_Finalize")  # of what is or loads CPython
MAX_FILES = 1000  # of one process
STOPPED = "Tt"  # by a signal, by a debugger (man 5 proc, status)
_REFUSED = ("ptrace: Operation not permitted", "ptrace: Inappropriate", "Could not attach")
_HINT = "run it as root or as the owner of the process"


class _ProcessStatus(NamedTuple):
    pid: int
    name: str
    state: str
    tracer: int


def is_process_number(word: str) -> bool:
    """Tell whether a word of the command line that names no file is the number of a process.

    Its folder /proc/PID is as good.
    """
    if word.startswith("/proc/"):
        return _pid_text(word).isdecimal() and os.path.isdir(word)
    return word.isdecimal() and not os.path.lexists(word) and os.path.isdir(f"/proc/{word}")


def _pid_text(word: str) -> str:
    return word.removeprefix("/proc/").rstrip("/")


def run_on_named_process(args: Namespace, command: str) -> int | None:
    """Run a command on a process that is named in place of a core; None where a core is.

    Returns the exit code.
    """
    if not is_process_number(args.core):
        return None
    refuse_process_files(args)
    return attach_and_run(args.core, [command + " --json" * args.json])


def refuse_process_files(args: Namespace) -> None:
    """Raise UsageError where files were named: of a process the kernel knows them."""
    if args.exe is not None or args.sysroot:
        raise UsageError(
            "--exe and --sysroot are of cores: GDB reads the files that the process runs",
            hint="again without them",
        )


def attach_and_run(
    word: str,
    commands: Sequence[str],
    *,
    gdb: str | None = None,
    output: str | None = None,
    as_line: bool = False,
    limit: float | None = None,
    reword: Callable[[str], str] = str,
) -> int:
    """Attach GDB, run commands of the extension, detach, and print what they say.

    `as_line`: their JSON on one line; `reword` makes what is printed of it. After `limit` seconds
    the process goes on, whatever has been read. Raises InputError where it cannot be looked at.
    """
    import shutil
    import tempfile

    from gdb_epi.cli.support.native_gdb import NoUsableGdb, attach_command_line, find_gdb

    process = _read_status(_pid_text(word))
    if process.tracer:
        raise InputError(
            f"process {process.pid} ({process.name}) is under a debugger: pid {process.tracer}",
            hint="detach that one, or ask it: source gdb_epi, epi triage",
        )
    if process.state == "Z":
        raise InputError(
            f"process {process.pid} ({process.name}) has ended: a zombie, whose memory is gone",
            hint="look at its parent",
        )
    if not _may_run_python(process.pid):
        raise InputError(
            f"process {process.pid} is {process.name}; there is no Python in it",
            hint=f"its children: ps --ppid {process.pid}",
        )
    gdb_path = find_gdb(gdb)
    if gdb_path is None:
        raise NoUsableGdb("to look at a process needs GDB: it is not here")
    limit = limit or SECONDS
    folder = tempfile.mkdtemp(prefix="gdb-epi-")
    try:
        files = [os.path.join(folder, f"answer{number}") for number in range(len(commands))]
        asked = [f"{c} --output {f}" for c, f in zip(commands, files, strict=True)]
        words = attach_command_line(gdb_path, process.pid, asked)
        seconds, complaint, in_time = _run_gdb_attached(words, folder, process, limit)
        answers: list[str] = []
        for file in files:
            if not os.path.exists(file) and not in_time:
                slow = InputError(
                    f"GDB took more than {limit:g} s for process {process.pid}, and let it go",
                    hint=f"gcore {process.pid}, then gdb-epi triage core.{process.pid}; "
                    "or a longer gdb-epi triage --timeout S PID",
                )
                if not answers:
                    raise slow
                write_to_stderr(slow.one_line_text())
                break
            if not os.path.exists(file):
                raise _no_answer_error(process, complaint)
            with open(file, encoding="utf-8", errors="replace") as stream:
                answers.append(stream.read().rstrip("\n") + "\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    text = reword("\n".join(answers))
    if process.state in STOPPED and not text.lstrip().startswith(("{", "[")):  # that is JSON
        text = (
            f"Process {process.pid} ({process.name}) is stopped, as by Ctrl-Z or SIGSTOP, and does "
            f"nothing until it is let go on: kill -CONT {process.pid}\n\n{text}"
        )
    if as_line:
        import json

        text = json.dumps(json.loads(text)) + "\n"
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        from pathlib import Path

        from gdb_epi.private_files import replace_file

        replace_file(Path(output), text.encode())
    now = f"was stopped for {seconds:.1f} s at most; it goes on"
    if process.state in STOPPED:
        now = "is stopped, as it was before"
    write_to_stderr(f"process {process.pid} ({process.name}) {now}")
    return EXIT_DONE


def _read_status(word: str) -> _ProcessStatus:
    """Return what the kernel says of a process, by the number of any of its threads."""
    fields: dict[str, str] = {}
    try:
        with open(f"/proc/{word}/status", encoding="utf-8", errors="replace") as stream:
            for line in stream:
                key, _, value = line.partition(":")
                fields[key] = value.strip()
        tgid, tracer = int(fields["Tgid"]), int(fields.get("TracerPid", "0"))
    except (OSError, KeyError, ValueError):
        raise InputError(f"{word}: no such process any more", hint="check the number") from None
    return _ProcessStatus(tgid, fields.get("Name", "?"), fields.get("State", "?")[:1], tracer)


def _may_run_python(pid: int) -> bool:
    """Tell whether any file that a process has mapped as code is CPython, or loads it.

    True also where its mappings or a file of them cannot be read: GDB will say why.
    """
    import mmap

    paths = dict.fromkeys([f"/proc/{pid}/exe"])
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="surrogateescape") as mappings:
            for line in mappings:
                _, _, path = line.rstrip("\n").partition(" /")
                if "python" in path.lower():
                    return True
                if path and "x" in line.split(" ", 2)[1]:
                    paths[f"/proc/{pid}/root/{path}"] = None
        for path in list(paths)[:MAX_FILES]:
            with (
                open(path, "rb") as stream,
                mmap.mmap(stream.fileno(), 0, prot=mmap.PROT_READ) as content,
            ):
                if any(content.find(name) >= 0 for name in _PYTHON_NAMES):
                    return True
    except (OSError, ValueError):
        return True
    return False


def _run_gdb_attached(
    words: Sequence[str], folder: str, process: _ProcessStatus, limit: float
) -> tuple[float, str, bool]:
    """Run GDB; return how long the process stood still at most, GDB's words, and if in time."""
    import signal
    import subprocess
    import time

    from gdb_epi.cli.support.native_gdb import gdb_environment

    begun = stopped = time.monotonic()
    traced = False
    with open(os.path.join(folder, "gdb.txt"), "w+b") as complaints:
        # A session of its own: Ctrl-C is for us, and GDB detaches first.
        gdb = subprocess.Popen(
            words,
            cwd=folder,
            env=gdb_environment(),
            stdin=subprocess.DEVNULL,
            stdout=complaints,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            while gdb.poll() is None and time.monotonic() - begun < limit:
                now = time.monotonic()
                with suppress(InputError):  # it has ended: GDB will say so
                    if not traced and _read_status(str(process.pid)).tracer:
                        traced = True
                        _report_process_stands_still(process, limit)
                stopped = stopped if traced else now
                with suppress(subprocess.TimeoutExpired):
                    gdb.wait(_TICK)
            in_time = gdb.poll() is not None
        finally:
            # By SIGKILL: on SIGTERM GDB interrupts the process that it is attaching to (SIGINT). It
            # has written nothing into it: breakpoints are inserted only when a process goes on.
            # The SIGSTOP by which it attaches may still be on its way; SIGCONT takes it back.
            if gdb.poll() is None:
                gdb.kill()
                gdb.wait()
                if process.state not in STOPPED:
                    with suppress(ProcessLookupError):
                        os.kill(process.pid, signal.SIGCONT)
        seconds = time.monotonic() - stopped
        complaints.seek(0)
        return seconds, complaints.read(1 << 16).decode("utf-8", "replace"), in_time


def _report_process_stands_still(process: _ProcessStatus, limit: float) -> None:
    if process.state not in STOPPED:
        who = f"process {process.pid} ({process.name})"
        write_to_stderr(f"{who} stands still while GDB reads it, {limit:g} s at most")


def _no_answer_error(process: _ProcessStatus, complaint: str) -> EpiError:
    """Return the error for what GDB said in place of an answer."""
    who = f"process {process.pid} ({process.name})"
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    if any(words in complaint for words in _REFUSED):
        try:
            with open("/proc/sys/kernel/yama/ptrace_scope", encoding="ascii") as stream:
                scope = stream.read().strip()
        except OSError:
            scope = "0"
        hint = _HINT
        if scope not in ("", "0"):
            hint += f" (kernel.yama.ptrace_scope is {scope}: only root may attach)"
        hint += "; in a container it needs --cap-add SYS_PTRACE"
        return InputError(f"no permission to look at {who}", hint=hint)
    try:
        _read_status(str(process.pid))
    except InputError:
        return InputError(f"{who} ended meanwhile", hint="look for its core")
    last, _, hint = (lines[-1] if lines else "it said nothing").partition("; try: ")
    why = f"GDB gave no answer for {who}: {last.removeprefix('epi ')[:300]}"
    return EpiError(why, hint=hint or "gdb-epi doctor")
