# SPDX-License-Identifier: Apache-2.0
"""Native frames from a GDB process that runs beside the Python decoding.

The process is started when a GdbNativeFrames is made and collected when the first frames are asked
for, so on two CPUs the time of GDB and of the decoders overlap.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gdb_epi.cli.support.supervisor import died_by_words
from gdb_epi.errors import NOT_AVAILABLE, Absent, EpiError, UsageError
from gdb_epi.fleet.paths import cache_folder
from gdb_epi.render.escape import COLUMNS_OF_SHELL, table_width
from gdb_epi.target.api import NativeFrame
from gdb_epi.typing_lite import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gdb_epi.cli.support.gdb_server import GdbServer
    from gdb_epi.target.corefile import CoreFileTarget

GDB_SECONDS = 120.0  # for one core; symbols of a large process take 10 s
SETTING_SECONDS = 15.0  # for a question that needs no core; one that is late is as good as none
SHARED_SECONDS = GDB_SECONDS  # the same, of the GDB that all cores share
MAX_ANSWER = 256 << 20  # bytes of JSON
NO_CORE = "is not a core dump"  # GDB, of a file that BFD does not take for one
MAX_COMPLAINT = 300  # characters of GDB's own words that are shown
ENVIRONMENT_GDB = "GDB_EPI_GDB"
ANSWER = "native.json"  # relative to GDB's working folder: no path to quote in a GDB command

_ERRORS = "soft_errors"
CACHE = "gdb-index"  # folder in the user's cache folder; GDB makes it when it needs it

# Nothing that a core, its folder or the user's files name may run code or reach the network.
SETTINGS = (
    "set auto-load off",
    "set debuginfod enabled off",
    "set confirm off",
    "set pagination off",
)
# Reading the symbols of a large Python takes 1 s, from the cache 0.3 s.
CACHED = "set index-cache enabled on"


class NoUsableGdb(EpiError):
    """There is no usable GDB."""

    hint = f"apt install gdb, or {ENVIRONMENT_GDB}=PATH of one"


def find_gdb(given: str | None, *, foreign: bool = False) -> str | None:
    """Return GDB: --gdb, $GDB_EPI_GDB, beside this Python, then PATH; None when there is none.

    `foreign`: for a core of another machine than this one, which many distributions' GDBs do not
    know; gdb-multiarch does.
    Raises UsageError when the one that was named cannot be run.
    """
    for named, source in ((given, "--gdb"), (os.environ.get(ENVIRONMENT_GDB), ENVIRONMENT_GDB)):
        if named:
            program = shutil.which(named)
            if program is None:
                raise UsageError(f"{source} {named}: no such program", hint=NoUsableGdb.hint)
            return os.path.abspath(program)
    beside = os.path.join(os.path.dirname(sys.executable or ""), "gdb")
    names = ("gdb-multiarch", "gdb") if foreign else ("gdb",)
    return shutil.which(beside) or next(filter(None, map(shutil.which, names)), None)


class GdbNativeFrames:
    """The native frames of one core, by one GDB process.

    `folder` is an empty folder for the answer; the caller removes it. A `server` is asked first.
    `learn` is told the answer. `foreign` names the machine of a core that is not of this one, and
    a thread of it: a GDB that does not know the machine opens the core, and sees none of its
    threads. Close it in any case.
    """

    def __init__(
        self,
        core: str,
        exe: str | None,
        sysroot: str | None,
        gdb: str,
        folder: str,
        server: GdbServer | None = None,
        learn: Callable[[Mapping[str, Any]], None] | None = None,
        foreign: tuple[str, int] | None = None,
    ) -> None:
        self._folder = folder
        self._learn = learn
        self._gdb, self._foreign = gdb, foreign
        self._answer: dict[str, Any] | Absent | None = None
        self._complaints: IO[bytes] = (Path(folder) / "gdb.txt").open("w+b")
        self._words = gdb_command_line(core, exe, sysroot, gdb)
        self._uncached = gdb_command_line(core, exe, sysroot, gdb, cached=False)
        self._process: subprocess.Popen[bytes] | None = None
        self._asked = server.ask(core, exe, sysroot, folder, ANSWER) if server is not None else None
        if self._asked is None:
            self._process = self._start_process(self._words)

    def _start_process(self, words: Sequence[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            words,
            cwd=self._folder,
            env=gdb_environment(),
            stdin=subprocess.DEVNULL,
            stdout=self._complaints,
            stderr=subprocess.STDOUT,
        )

    def frames(self, tid: int) -> Sequence[NativeFrame] | Absent:
        """Return the native frames of one LWP, innermost first."""
        answer = self._gdb_answer()
        if isinstance(answer, Absent):
            return answer
        for thread in _json_objects_in(answer.get("threads")):
            if thread.get("tid") == tid:
                frames = [
                    frame_of_answer(frame) for frame in _json_objects_in(thread.get("frames"))
                ]
                return frames or _why_no_frames(thread, tid)
        return Absent(NOT_AVAILABLE, f"gdb does not know thread {tid}")

    def soft_errors(self) -> list[dict[str, Any]]:
        """Return what GDB could not have, as the record has it."""
        answer = self._gdb_answer()
        return (
            []
            if isinstance(answer, Absent)
            else [dict(e) for e in _json_objects_in(answer.get(_ERRORS))]
        )

    def why_no_native_frames(self) -> Absent | None:
        """Return why there are no native frames at all, None when there are."""
        answer = self._gdb_answer()
        return answer if isinstance(answer, Absent) else None

    def close(self) -> None:
        """End the GDB process if it still runs."""
        if self._asked is not None:
            self._asked.close()
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._complaints.close()

    def _gdb_answer(self) -> dict[str, Any] | Absent:
        if self._answer is None:
            self._answer = self._wait_and_read()
            if not isinstance(self._answer, Absent) and self._foreign is not None:
                machine, tid = self._foreign
                if all(
                    thread.get("tid") != tid
                    for thread in _json_objects_in(self._answer.get("threads"))
                ):
                    why = f"{self._gdb} does not read cores of {machine}; apt install gdb-multiarch"
                    self._answer = Absent(NOT_AVAILABLE, why)
            if self._learn is not None and isinstance(self._answer, dict):
                self._learn(self._answer)
        return self._answer

    def _wait_and_read(self) -> dict[str, Any] | Absent:
        path = Path(self._folder) / ANSWER
        late = Absent(NOT_AVAILABLE, f"gdb did not answer within {GDB_SECONDS:.0f} s")
        if self._asked is not None and not self._asked.wait(SHARED_SECONDS) and self._asked.taken:
            self.close()
            return late
        code = 0
        if self._asked is None or not path.exists():
            # What the server cannot do, a GDB of its own does or can say why.
            process = self._process or self._start_process(self._words)
            self._process = process
            ended = wait_for_process_end(process, GDB_SECONDS)
            if ended and process.wait() < 0 and not path.exists():
                # GDB 18.1 dies by SIGILL of the index that it cached of a Rust program itself.
                self._process = process = self._start_process(self._uncached)
                ended = wait_for_process_end(process, GDB_SECONDS)
            if not ended:
                self.close()
                return late
            code = process.wait()
        try:
            if path.stat().st_size > MAX_ANSWER:
                return Absent(NOT_AVAILABLE, "the answer of gdb is too large")
            answer = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return Absent(
                NOT_AVAILABLE, f"gdb {_exit_status_words(code)}: {self._last_gdb_output()}"
            )
        return answer if isinstance(answer, dict) else Absent(NOT_AVAILABLE, "gdb gave no map")

    def _last_gdb_output(self) -> str:
        self._complaints.seek(0)
        text = self._complaints.read(1 << 16).decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        # What follows from it is advice for a person in GDB.
        refused = [line for line in lines if NO_CORE in line]
        return (refused or lines)[-1][:MAX_COMPLAINT] if lines else "no output"


def executable_for_gdb(target: CoreFileTarget, given: str | None) -> str | None:
    """Return the executable that GDB is given: GDB 13 does not find it on its own.

    This one has the core's build-id; `given` is the user's.
    """
    modules = target.modules()
    return modules[0].file if modules and isinstance(modules[0].file, str) else given


def why_gdb_is_not_started(
    target: CoreFileTarget, exe: str | None, sysroot: str | None
) -> str | None:
    """Return why no GDB may be started: a file that the core names and nobody should open."""
    from gdb_epi.target.elf_files import sysroot_folders
    from gdb_epi.target.unsafe_file_names import find_unsafe_file_name

    for root in sysroot_folders(sysroot) or (None,):
        unsafe = find_unsafe_file_name(target, exe, root)
        if unsafe is not None:
            return f"gdb was not started: {unsafe}"
    return None


def gdb_command_line(
    core: str, exe: str | None, sysroot: str | None, gdb: str, *, cached: bool = True
) -> list[str]:
    """Return the words that make GDB write the native frames of a core into ANSWER."""
    asked = [f"epi native --json --output {ANSWER}"]
    return core_command_line(core, exe, sysroot, gdb, asked, cached=cached)


def core_command_line(
    core: str,
    exe: str | None,
    sysroot: str | None,
    gdb: str,
    commands: Sequence[str],
    *,
    cached: bool = True,
) -> list[str]:
    """Return the words that make GDB run commands on a core and end."""
    words = _common_gdb_words(gdb, cached=cached)
    if sysroot is not None:
        if "\n" in sysroot:
            raise EpiError("a line break in --sysroot", hint="--sysroot with another path")
        words += ["-iex", f"set sysroot {os.path.abspath(sysroot)}"]
    if exe is not None:
        words += [f"--exec={os.path.abspath(exe)}", f"--symbols={os.path.abspath(exe)}"]
    asked = [word for command in commands for word in ("-ex", command)]
    return [*words, f"--core={os.path.abspath(core)}", *asked]


def attach_command_line(gdb: str, pid: int, commands: Sequence[str]) -> list[str]:
    """Return the words that make GDB attach to a process, run commands and let it go."""
    asked = [word for command in commands for word in ("-ex", command)]
    return [*_common_gdb_words(gdb), "-p", str(pid), *asked]


def _common_gdb_words(gdb: str, *, cached: bool = True) -> list[str]:
    """Return the words of a GDB that runs our commands; it executes `-x` after --core."""
    import gdb_epi

    package = os.path.dirname(os.path.abspath(gdb_epi.__file__))
    indexes = (CACHED, f"set index-cache directory {cache_folder() / CACHE}") if cached else ()
    words = [gdb, "-nx", "-nh", "-batch"]
    for setting in (*SETTINGS, *indexes):
        words += ["-iex", setting]
    return [*words, "-x", os.path.join(package, "gdb_epi_bootstrap.py")]


def read_gdb_setting(gdb: str, name: str) -> str | None:
    """Return a setting of a GDB that was just started; None when it does not answer.

    Without its data it imports none of its Python modules: 37 ms instead of 59 (13.1).
    """
    command = f"python import _gdb; print(_gdb.parameter({name!r}))"
    try:
        return (
            read_last_output_line(gdb, command, SETTING_SECONDS, "--data-directory", "/nonexistent")
            or None
        )
    except (OSError, subprocess.SubprocessError):
        return None


def reads_packed_symbols(gdb: str) -> bool:
    """Tell whether a GDB reads symbols that a file has packed."""
    command = "python print('--with-lzma' in gdb.execute('show configuration', False, True))"
    try:
        return read_last_output_line(gdb, command, SETTING_SECONDS) == "True"
    except (OSError, subprocess.SubprocessError):
        return False


def read_last_output_line(gdb: str, command: str, seconds: float, *options: str) -> str:
    """Return the last line that a new GDB prints when it runs a command; "" where it fails.

    Raises OSError, or SubprocessError after so many seconds.
    """
    words = [gdb, "-nx", "-nh", "-batch", *options, "-ex", command]
    nothing = subprocess.DEVNULL
    done = subprocess.run(
        words, env=gdb_environment(), stdin=nothing, capture_output=True, timeout=seconds
    )
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines and not done.returncode else ""


def start_gdb_server(gdb: str) -> GdbServer:
    """Start a GDB that many cores share."""
    from gdb_epi.cli.support.gdb_server import GdbServer

    return GdbServer(_common_gdb_words(gdb), gdb_environment())


def wait_for_process_end(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for a process to end; False after `seconds`.

    Popen.wait(timeout) sleeps up to 50 ms between two looks; a pidfd wakes at once.
    """
    import select

    try:
        watch = os.pidfd_open(process.pid)
    except OSError:  # Linux before 5.3, or a container that forbids it
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True
    try:
        waiting = select.poll()  # select() refuses descriptors from 1024 on
        waiting.register(watch, select.POLLIN)
        return bool(waiting.poll(seconds * 1000))
    finally:
        os.close(watch)


def gdb_environment() -> dict[str, str]:
    """Return the environment of GDB: its Python must not be sent to ours, nor to the network."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    kept.pop("DEBUGINFOD_URLS", None)
    columns = str(table_width() or 0)  # its own output is read, or goes into a file
    return {**kept, "LC_ALL": "C.UTF-8", "TERM": "dumb", COLUMNS_OF_SHELL: columns}


def _exit_status_words(code: int) -> str:
    return f"ended with exit code {code}" if code >= 0 else died_by_words(-code)


def _json_objects_in(value: Any) -> list[Mapping[str, Any]]:
    return [inner for inner in value if isinstance(inner, dict)] if isinstance(value, list) else []


def _why_no_frames(thread: Mapping[str, Any], tid: int) -> Absent:
    absent = thread.get("absent")
    detail = absent.get("detail") if isinstance(absent, dict) else None
    return Absent(NOT_AVAILABLE, str(detail or f"gdb found no frames of thread {tid}"))


def frame_of_answer(frame: Mapping[str, Any]) -> NativeFrame:
    """Return one frame of GDB's answer."""
    pc, sp = _parse_address(frame.get("pc")), _parse_address(frame.get("sp"))
    return NativeFrame(
        pc=pc or 0,
        sp=sp or 0,
        function=_text_or_none(frame.get("function")),
        module=_text_or_none(frame.get("module")),
        build_id=_text_or_none(frame.get("build_id")),
        offset=_parse_address(frame.get("offset")),
        filename=_text_or_none(frame.get("filename")),
        lineno=_parse_address(frame.get("lineno")),
        inlined=frame.get("inlined") is True,
        left_out=_parse_address(frame.get("left_out")) or 0,
        kind=_text_or_none(frame.get("kind")) or "normal",
        pyx=_text_or_none(frame.get("pyx")),
        pyx_line=_parse_address(frame.get("pyx_line")),
    )


def _parse_address(value: Any) -> int | None:
    """An address is an int, or a hex text in JSON."""
    if isinstance(value, str) and value.startswith("0x"):
        try:
            return int(value, 16)
        except ValueError:
            return None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None
