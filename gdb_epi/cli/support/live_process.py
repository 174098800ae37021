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
from gdb_epi.typing_lite import NamedTuple, Namespace

SECONDS = 300  # for all that is asked
STOPPED = "Tt"  # by a signal, by a debugger (man 5 proc, status)
_REFUSED = ("ptrace: Operation not permitted", "ptrace: Inappropriate", "Could not attach")
_HINT = "run it as root or as the owner of the process"


class _Process(NamedTuple):
    pid: int
    name: str
    state: str
    tracer: int


def is_process_number(word: str) -> bool:
    """Tell whether a word of the command line that names no file is the number of a process."""
    return word.isdecimal() and not os.path.lexists(word) and os.path.isdir(f"/proc/{word}")


def ask_process(args: Namespace, command: str) -> int | None:
    """Run a command on a process that is named in place of a core; None where a core is.

    Returns the exit code.
    """
    if not is_process_number(args.core):
        return None
    refuse_process_files(args)
    return look_at_process(args.core, [command + " --json" * args.json])


def refuse_process_files(args: Namespace) -> None:
    """Raise UsageError where files were named: of a process the kernel knows them."""
    if args.exe is not None or args.sysroot:
        raise UsageError(
            "--exe and --sysroot are of cores: GDB reads the files that the process runs",
            hint="again without them",
        )


def look_at_process(
    word: str,
    commands: Sequence[str],
    *,
    gdb: str | None = None,
    output: str | None = None,
    as_line: bool = False,
) -> int:
    """Attach GDB, run commands of the extension, detach, and print what they say.

    `as_line`: their JSON on one line. Raises InputError where the process cannot be looked at.
    """
    import shutil
    import tempfile

    from gdb_epi.cli.support.native_gdb import NoGdb, attach_command_line, find_gdb

    process = _read_status(word)
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
    gdb_path = find_gdb(gdb)
    if gdb_path is None:
        raise NoGdb("to look at a process needs GDB: it is not here")
    folder = tempfile.mkdtemp(prefix="gdb-epi-")
    try:
        files = [os.path.join(folder, f"answer{number}") for number in range(len(commands))]
        asked = [f"{c} --output {f}" for c, f in zip(commands, files, strict=True)]
        seconds, complaint = _run(
            attach_command_line(gdb_path, process.pid, asked), folder, process
        )
        answers = []
        for file in files:
            if not os.path.exists(file):
                raise _why_none(process, complaint)
            with open(file, encoding="utf-8", errors="replace") as stream:
                answers.append(stream.read().rstrip("\n") + "\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    text = "\n".join(answers)
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


def _read_status(word: str) -> _Process:
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
    return _Process(tgid, fields.get("Name", "?"), fields.get("State", "?")[:1], tracer)


def _run(words: Sequence[str], folder: str, process: _Process) -> tuple[float, str]:
    """Run GDB; return how many seconds it took, and what it complained of."""
    import signal
    import subprocess
    import time

    from gdb_epi.cli.support.native_gdb import gdb_environment

    begun = time.monotonic()
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
            gdb.wait(SECONDS)
        except subprocess.TimeoutExpired:
            raise InputError(
                f"GDB took more than {SECONDS} s for process {process.pid}, and let it go",
                hint=f"gcore {process.pid}, then gdb-epi triage core.{process.pid}",
            ) from None
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
        seconds = time.monotonic() - begun
        complaints.seek(0)
        return seconds, complaints.read(1 << 16).decode("utf-8", "replace")


def _why_none(process: _Process, complaint: str) -> EpiError:
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
    last = lines[-1] if lines else "it said nothing"
    return EpiError(f"GDB gave no answer for {who}: {last[:300]}", hint="gdb-epi doctor")
