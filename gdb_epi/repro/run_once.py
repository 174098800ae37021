# SPDX-License-Identifier: Apache-2.0
"""Run the command once, and collect the cores of what crashed or hung.

The processes of one run: all of a session, whatever groups they made inside it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Iterator, Mapping

from gdb_epi.private_files import private_opener
from gdb_epi.target.elf import parse_header, read_notes, read_segments
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from threading import Event


# Where the kernel of this machine writes core files, and which of them belong to a run.
#
# core(5): the pattern is a file name, relative to the folder of the dying process, or a pipe. The
# kernel adds `.PID` when core_uses_pid is 1 and the pattern has no %p.


CORE_PATTERN = "/proc/sys/kernel/core_pattern"
CORE_USES_PID = "/proc/sys/kernel/core_uses_pid"
NT_PRPSINFO = 3
_PIDS_OFFSET = 24  # of pr_pid, pr_ppid, pr_pgrp, pr_sid in elf_prpsinfo, x86-64 (linux/elfcore.h)
_PT_NOTE = 4
MAX_NOTES = 16 << 20  # bytes of a core that are read for its notes
MAX_CANDIDATES = 64  # files of one folder that are examined


class CoreDumping(NamedTuple):
    """How the kernel of this machine dumps cores; `why_not` says why it writes no files."""

    writes_files: bool
    folder: str | None  # None: the folder of the process
    prefix: str  # what the file names begin with, up to the first % of the pattern
    overwrites: bool  # two processes in one folder would write the same file
    why_not: str


class DumpedProcess(NamedTuple):
    """The process of which a file is the core: its pid, its parent's, and its session."""

    pid: int
    parent: int
    session: int


def read_core_dumping(pattern: str | None = None, uses_pid: str | None = None) -> CoreDumping:
    """Return how this machine dumps cores; the contents of the files in /proc may be given."""
    text = _read_text_file(CORE_PATTERN) if pattern is None else pattern
    with_pid = (
        _read_text_file(CORE_USES_PID) if uses_pid is None else uses_pid
    ) == "1" or "%p" in (text or "")
    folder, name = os.path.split(text or "")
    why_not = ""
    if text is None:
        why_not = f"{CORE_PATTERN} cannot be read"
    elif text.startswith("|"):
        why_not = f"core_pattern is a pipe to {text[1:].split(' ')[0]}"
    elif not text:
        why_not = "core_pattern is empty"
    elif resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        why_not = "the hard limit of core sizes is 0 (ulimit -Hc)"
    elif "%" in folder or (folder and not folder.startswith("/")):
        why_not = f"core_pattern {text} names a folder by %"
    if why_not:
        return CoreDumping(False, None, "", False, why_not)
    return CoreDumping(True, folder or None, name.split("%")[0], not with_pid, "")


def _read_text_file(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read().strip()
    except OSError:
        return None


def find_cores_since(
    dumping: CoreDumping, folder: str, since: float
) -> Iterator[tuple[str, DumpedProcess]]:
    """Yield the cores that any process left since a time (seconds of the epoch), and whose."""
    place = dumping.folder or folder
    try:
        names = sorted(n for n in os.listdir(place) if n.startswith(dumping.prefix))
    except OSError:
        return
    paths = [os.path.join(place, name) for name in names]
    for path in [path for path in paths if modification_time(path) >= since - 1][:MAX_CANDIDATES]:
        if (origin := read_dumped_process(path)) is not None:
            yield path, origin


def find_session_cores(dumping: CoreDumping, folder: str, session: int, since: float) -> list[str]:
    """Return the cores that processes of a session left since a time (seconds of the epoch)."""
    recent = find_cores_since(dumping, folder, since)
    return [path for path, origin in recent if origin.session == session]


def find_core_to_be_overwritten(dumping: CoreDumping, folder: str) -> str | None:
    """Return the file that the next core would overwrite, None when there is none."""
    if not dumping.writes_files or not dumping.overwrites:
        return None
    path = os.path.join(dumping.folder or folder, dumping.prefix)
    return path if os.path.exists(path) else None


def modification_time(path: str) -> float:
    """Return when a file was changed (seconds of the epoch); 0 when it is gone."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def read_dumped_process(path: str) -> DumpedProcess | None:
    """Return the process whose core this is; None for another file."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(1 << 16)
            header = parse_header(head)
            if header is None:
                return None
            for segment in read_segments(head, header):
                if segment.type == _PT_NOTE:
                    stream.seek(segment.offset)
                    return _dumped_process_in_notes(stream.read(min(segment.filesz, MAX_NOTES)))
    except OSError:
        return None
    return None


def _dumped_process_in_notes(raw: bytes) -> DumpedProcess | None:
    for note in read_notes(raw):
        is_process_info = note.type == NT_PRPSINFO and note.name == b"CORE"
        if is_process_info and len(note.desc) >= _PIDS_OFFSET + 16:
            pid, parent, _, session = struct.unpack_from("<4i", note.desc, _PIDS_OFFSET)
            return DumpedProcess(pid, parent, session)
    return None


KILL_SECONDS = 30.0  # how long killed processes may take to end
_TICK = 0.02
ENDED, CRASH, HANG, UNABLE = "ended", "crash", "hang", "unable"
CORE_SIGNALS = frozenset((3, 4, 5, 6, 7, 8, 11, 24, 25, 31))
RUN_NUMBER = "GDB_EPI_RUN"  # in the environment of the command: 0, 1, 2 ... a seed for it
MAX_CORES = 4  # of one run: a dying pool leaves one for each worker
MAX_TAIL = 4096  # bytes of the command's output that are kept
STOP_SECONDS = 0.25  # after which a run that is given up ends
GDB_PATIENCE = 60.0  # seconds that a GDB may take to stop, dump or detach
# dash and bash both: raise the soft limit to the hard one, then become the command.
START = 'ulimit -S -c "$(ulimit -H -c)" 2>/dev/null; exec "$@"'
WATCH = os.path.join(os.path.dirname(os.path.dirname(__file__)), "gdbhost", "run_until_death.py")
# Under GDB, with our own streams: the command must not get GDB's.
OWN_STREAMS = 'exec 7<&0 8>&1 9>&2 </dev/null >"$0" 2>&1; exec "$@"'
TAKE_STREAMS = "<&7 >&8 2>&9 7<&- 8>&- 9>&-"


class SessionProcess(NamedTuple):
    """One living process of a session."""

    pid: int
    parent: int
    command: str


def session_processes(session: int) -> list[SessionProcess]:
    """Return the living processes of a session; zombies do not count."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return sorted(filter(None, (_read_session_process(pid, session) for pid in pids)))


def childless_processes(session: int) -> list[SessionProcess]:
    """Return the processes of a session that have no child in it: those that work."""
    processes = session_processes(session)
    parents = {process.parent for process in processes}
    return [process for process in processes if process.pid not in parents]


def _read_session_process(pid: int, session: int | None) -> SessionProcess | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            text = stream.read().decode("utf-8", "replace")
    except OSError:
        return None
    head, _, tail = text.rpartition(")")
    words = tail.split()
    if len(words) < 4 or words[0] in ("Z", "X"):
        return None
    if session is not None and int(words[3]) != session:
        return None
    return SessionProcess(pid, int(words[1]), head.partition("(")[2])


def kill_session(session: int) -> int:
    """Kill every process of a session; return how many are left after KILL_SECONDS (0)."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(session, signal.SIGKILL)
    deadline = time.monotonic() + KILL_SECONDS
    while True:
        left = session_processes(session)
        if not left or time.monotonic() > deadline:
            return len(left)
        for process in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGKILL)
        time.sleep(_TICK)


class RunPlan(NamedTuple):
    """How every run is done. `capture` is "core" (the kernel dumps) or "gdb" (run under GDB).

    `own_streams` leaves our standard streams to the command under GDB, and GDB's words to gdb.txt
    in the scratch folder.
    """

    command: tuple[str, ...]
    folder: str
    timeout: float
    capture: str
    dumping: CoreDumping
    gdb: str | None
    gdb_settings: tuple[str, ...]
    gdb_environment: Mapping[str, str]
    children: bool = False  # under GDB: follow them too
    own_streams: bool = False

    def gdb_command_words(self) -> list[str]:
        """Return the words that start GDB with its settings, without arguments."""
        settings = [word for setting in self.gdb_settings for word in ("-iex", setting)]
        return [self.gdb or "gdb", "-nx", "-nh", "-batch", *settings]


class RunOutcome(NamedTuple):
    """What one run came to. `cores` lie in its scratch folder; `trouble` is what went wrong."""

    number: int
    kind: str
    status: int | None  # as subprocess has it: negative for a signal
    seconds: float
    cores: tuple[str, ...]
    tail: str
    trouble: tuple[str, ...]


class RunGivenUp(Exception):
    """The run was given up."""


def run_once(plan: RunPlan, number: int, scratch: str, stop: Event) -> RunOutcome:
    """Run the command once in a session of its own; nothing of it is left alive.

    Raises Stopped soon after `stop` is set.
    """
    started, since = time.monotonic(), time.time()
    words, environment = command_to_start(plan, scratch, {**os.environ, RUN_NUMBER: str(number)})
    with open(os.path.join(scratch, "output"), "w+b") as output:
        process = subprocess.Popen(
            words,
            cwd=plan.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            outcome = _watch_until_end(plan, process, scratch, since, stop)
        finally:
            # Ctrl-C too: what was started must not outlive us.
            kill_session(process.pid)
            process.wait()
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - MAX_TAIL))
        tail = output.read(MAX_TAIL).decode("utf-8", "replace")
    kind, status, cores, trouble = outcome
    # What GDB took to look at a hang is not the command's.
    seconds = plan.timeout if kind == HANG else time.monotonic() - started
    return RunOutcome(number, kind, status, seconds, tuple(cores), tail, tuple(trouble))


def command_to_start(
    plan: RunPlan, scratch: str, environment: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Return the words that start the command so that it leaves a core, and their environment.

    The command gets `environment`. GDB's is another one: its Python must not see PYTHON*, and
    wheels of GDB set PYTHONHOME. `env` gives the command its own, by a script that only this user
    may read: everybody sees GDB's arguments.
    """
    if plan.capture != "gdb":
        return ["/bin/sh", "-c", START, "sh", *plan.command], dict(environment)
    own = (f"{name}={value}" for name, value in environment.items())
    streams = TAKE_STREAMS if plan.own_streams else ""
    enter = os.path.join(scratch, "enter")
    with open(enter, "wb", opener=private_opener) as stream:
        command = shlex.join(["/usr/bin/env", "-i", *own])
        stream.write(os.fsencode(f'exec {command} "$@" {streams}\n'))
    words = [*plan.gdb_command_words(), "-x", WATCH, "--args", "/bin/sh", enter, *plan.command]
    if plan.own_streams:
        log = os.path.join(scratch, "gdb.txt")
        words = ["/bin/sh", "-c", OWN_STREAMS, log, *words]
    watch = json.dumps({"folder": scratch, "children": plan.children})
    # GDB starts the command by the shell that $SHELL names.
    return words, {**plan.gdb_environment, "SHELL": "/bin/sh", "GDB_EPI_WATCH": watch}


Outcome = tuple[str, "int | None", "list[str]", "list[str]"]


def _watch_until_end(
    plan: RunPlan, process: subprocess.Popen[bytes], scratch: str, since: float, stop: Event
) -> Outcome:
    status = _wait_for_exit(process, plan.timeout, stop)
    if status is None:
        return _snapshot_of_hang(plan, process, scratch)
    if plan.capture == "gdb":
        return read_outcome_under_gdb(scratch)
    # Move cores into the scratch folder: the next run would overwrite them.
    paths = find_session_cores(plan.dumping, plan.folder, process.pid, since)
    cores = []
    for index, path in enumerate(paths):
        if index >= MAX_CORES:
            with contextlib.suppress(OSError):
                os.unlink(path)
            continue
        target = os.path.join(scratch, f"core.{index}")
        shutil.move(path, target)
        cores.append(target)
    return _outcome_of_exit(status, cores)


def _wait_for_exit(process: subprocess.Popen[bytes], seconds: float, stop: Event) -> int | None:
    """Return the exit status; None when the process outlives its time. Raises Stopped."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if stop.is_set():
            raise RunGivenUp
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(min(left, STOP_SECONDS))
    return process.poll()


def _outcome_of_exit(status: int, cores: list[str]) -> Outcome:
    """Return what an exit status and the cores mean. A shell says 128 + signal of its child."""
    if cores:
        return CRASH, status, cores, []
    if status in (126, 127):
        return UNABLE, status, [], [f"the command could not be run (status {status})"]
    number = -status if status < 0 else status - 128 if 128 < status <= 192 else 0
    if number in CORE_SIGNALS:
        name = signal.Signals(number).name
        whose = "the command" if status < 0 else "a child of it"
        return CRASH, status, [], [f"{whose} died by {name}, and no core of it was found"]
    return ENDED, status, [], []


# -- hangs -----------------------------------------------------------------------------------------


def _snapshot_of_hang(plan: RunPlan, process: subprocess.Popen[bytes], scratch: str) -> Outcome:
    """Take a snapshot of what still works in the session; its waiting parents tell nothing."""
    trouble: list[str] = []
    if plan.capture == "gdb":
        trouble += detach_gdb(process.pid, scratch)
        answer = _read_gdb_answer(scratch)
        if answer.get("core"):  # it crashed in the last moment
            return read_outcome_under_gdb(scratch)
        if not answer:
            return UNABLE, None, [], [*trouble, "GDB itself stood still; no word on the command"]
    if plan.gdb is None:
        return HANG, None, [], [*trouble, "no GDB: a hanging process cannot be looked at"]
    cores = []
    for index, member in enumerate(childless_processes(process.pid)):
        if index >= MAX_CORES or member.command == "gdb":
            continue
        path = os.path.join(scratch, f"hang.{index}")
        why = dump_living_process(plan, member.pid, path)
        if why:
            trouble.append(f"no snapshot of process {member.pid} ({member.command}): {why}")
        else:
            cores.append(path)
    return HANG, None, cores, trouble


def dump_living_process(plan: RunPlan, pid: int, path: str) -> str:
    """Let GDB write a core of a living process; return why it could not, "" when it did."""
    words = [*plan.gdb_command_words(), "-p", str(pid), "-ex", "generate-core-file snapshot"]
    try:
        done = subprocess.run(
            words,
            cwd=os.path.dirname(path),
            env=dict(plan.gdb_environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GDB_PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return f"GDB did not answer within {GDB_PATIENCE:.0f} s"
    snapshot = os.path.join(os.path.dirname(path), "snapshot")
    if not os.path.isfile(snapshot):
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        last = lines[-1] if lines else "GDB wrote no core and said nothing"
        return next((line for line in lines if "ptrace" in line or "attach" in line), last)
    os.replace(snapshot, path)
    return ""


# -- under GDB -------------------------------------------------------------------------------------


def _read_gdb_answer(scratch: str) -> dict[str, object]:
    try:
        with open(os.path.join(scratch, "watch.json"), encoding="utf-8") as stream:
            answer = json.load(stream)
    except (OSError, ValueError):
        return {}
    return answer if isinstance(answer, dict) else {}


def detach_gdb(gdb: int, scratch: str) -> list[str]:
    """Make the watching GDB (its pid) stop and detach from what it runs; return what went wrong."""
    with open(os.path.join(scratch, "interrupt"), "w", encoding="utf-8"):
        pass
    with contextlib.suppress(ProcessLookupError):
        os.kill(gdb, signal.SIGINT)
    deadline = time.monotonic() + GDB_PATIENCE
    while _read_session_process(gdb, None) is not None:
        if time.monotonic() > deadline:
            return [f"GDB did not let go within {GDB_PATIENCE:.0f} s"]
        time.sleep(_TICK)
    return []


def read_outcome_under_gdb(scratch: str) -> Outcome:
    """Return what became of a command under GDB, as GDB wrote it down."""
    answer = _read_gdb_answer(scratch)
    core, status, error = answer.get("core"), answer.get("status"), answer.get("error")
    trouble = [str(error)] if error else []
    number = status if isinstance(status, int) else None
    if isinstance(core, str) and os.path.isfile(core):
        return CRASH, number, [core], trouble
    if not answer:
        return UNABLE, None, [], ["GDB ended without an answer"]
    if number is None:
        return UNABLE, None, [], trouble or ["GDB could not run the command"]
    kind, status, cores, judged_trouble = _outcome_of_exit(number, [])
    return kind, status, cores, [*judged_trouble, *trouble]
