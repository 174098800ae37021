# SPDX-License-Identifier: Apache-2.0
"""One Session for what GDB has loaded: kept as long as that stays the same.

Imported by `source gdb_epi`: what only commands need is imported when one runs.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

import gdb

from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gdb_epi.cpython.frames.breakpoint_locations import BreakpointLocation
    from gdb_epi.cpython.types import PythonState
    from gdb_epi.cpython.values.process_values import ProcessValues
    from gdb_epi.cpython.values.repr_decoder import ReprLimits
    from gdb_epi.errors import SoftError
    from gdb_epi.session import CValue, SearchProgress, Session
    from gdb_epi.target.api import Target


class Sessions:
    """Make sessions for the selected inferior and forget them when it changes.

    A core never changes: its session lives until another core, executable or set of object
    files is loaded. A live process changes whenever it runs or is written to.
    """

    def __init__(self) -> None:
        self.broken: Sequence[SoftError] = ()
        self._changes = 0
        self._stopped: dict[int, int] = {}  # inferior number -> LWP of the last stop
        self._key: tuple[object, ...] = ()
        self._touched: tuple[object, ...] = ()  # key of the core whose registers GDB has read
        self._session: Session | None = None
        for registry in (gdb.events.cont, gdb.events.memory_changed, gdb.events.register_changed):
            registry.connect(self._on_change)
        gdb.events.inferior_call.connect(self._on_change)
        gdb.events.stop.connect(self._on_stop)

    def _on_change(self, _event: object) -> None:
        self._changes += 1

    def _on_stop(self, _event: object) -> None:
        self._changes += 1
        lwp = selected_lwp()
        if lwp is not None:
            self._stopped[gdb.selected_inferior().num] = lwp

    def current_session(self) -> Session:
        """Return the session of the selected inferior; without a process it has no target."""
        from gdb_epi.gdbhost.selection import selected_frame

        inferior = gdb.selected_inferior()
        key = self._session_key(inferior)
        if _target_kind(inferior) == "core" and self._touched != key:
            # Read the registers of all threads, so that what GDB warns of is not in a command's
            # output. GDB 13.1 warns of each `.reg-xstate` that is smaller than its own; under
            # `pipe` that would go into the JSON. The text is dropped unread, and the user's
            # selection stays.
            from gdb_epi.gdbhost.selection import restore_selection_afterwards

            with suppress(gdb.error), restore_selection_afterwards():
                words = "thread apply all -s -q python gdb.newest_frame().pc()"
                gdb.execute(words, False, True)
            self._touched = key
        if self._session is None or key != self._key:
            self._renew_session(self._open_target(inferior), key)
        assert self._session is not None
        self._session.host = HOST
        self._session.selected_tid = selected_lwp()
        self._session.selected_frame = selected_frame()
        self._session.host_facts = self._describe_host(self._session)
        return self._session

    def prepare_for_printing(self) -> None:
        """Decode what prepared_session() needs of a live process; threads are switched for that."""
        from gdb_epi.errors import EpiError

        with suppress(EpiError, gdb.error):
            if _target_kind(gdb.selected_inferior()) == "live":
                state = self.current_session().state
                _ = state.python, state.crash

    def prepared_session(self) -> Session | None:
        """Return a session without a look at GDB's threads and frames, of which it may print one.

        GDB 12 to 16 end when a frame that they print is changed. So a core is read from its file,
        and of a live process there is only what prepare_for_printing() made since it stopped.
        """
        from gdb_epi.target.corefile import CoreFileTarget

        inferior = gdb.selected_inferior()
        key = self._session_key(inferior)
        if self._session is None or key != self._key:
            target = self._open_target(inferior) if _target_kind(inferior) == "core" else None
            if not isinstance(target, CoreFileTarget):
                return None
            self._renew_session(target, key)
        session = self._session
        if session is None or not session.has_target:
            return None
        decoded = {"python", "crash"} <= vars(session.state).keys()
        return session if decoded or isinstance(session.target, CoreFileTarget) else None

    def prepared_values(self, limits: ReprLimits) -> tuple[Session, ProcessValues] | None:
        """Return what prepared_session() can show; of a process that went on since, as well.

        Its memory is read anew then, by the layout that it had.
        """
        session = self.prepared_session()
        if session is not None:
            return session, session.values(limits)
        inferior, old = gdb.selected_inferior(), self._session
        key = self._session_key(inferior)
        if old is None or key[1:] != self._key[1:]:  # it may have run since
            return None
        python = vars(old.state).get("python")
        target = self._open_target(inferior) if python else None  # Absent is false
        if python is None or target is None:
            return None
        from gdb_epi.cpython.values.process_values import get_process_values

        return old, get_process_values(target, python, limits)

    def _renew_session(self, target: Target | None, key: tuple[object, ...]) -> None:
        from gdb_epi.gdbhost.debug_info import DebugTypes
        from gdb_epi.gdbhost.open_target import local_sysroot
        from gdb_epi.session import Session

        self._session = Session(target, sysroot=local_sysroot(), debug_types=DebugTypes())
        self._key = key

    def _session_key(self, inferior: gdb.Inferior) -> tuple[object, ...]:
        space = inferior.progspace
        kind = _target_kind(inferior)
        thread = gdb.selected_thread()
        if kind == "live" and (thread is None or not thread.is_stopped()):
            # A condition of a breakpoint is evaluated: the process was stopped for it alone, which
            # no event tells.
            self._changes += 1
        changes = self._changes if kind == "live" else 0
        roots = (gdb.parameter("sysroot"), gdb.parameter("epi sysroot"))
        loaded = (space.filename, len(space.objfiles()), *roots)
        # Changes first: prepared_values() compares the others.
        return (changes, inferior.num, inferior.connection_num, kind, inferior.pid, *loaded)

    def _open_target(self, inferior: gdb.Inferior) -> Target | None:
        kind = _target_kind(inferior)
        if kind is None:
            return None
        from gdb_epi.gdbhost.open_target import open_core, open_process

        if kind == "core":
            return open_core(inferior)
        lwp = self._stopped.get(inferior.num) or selected_lwp() or inferior.pid
        return open_process(inferior, lwp)

    def _describe_host(self, session: Session) -> dict[str, Any]:
        """Return what `epi doctor` tells about GDB."""
        import platform
        import sys

        target = session.target if session.has_target else None
        return {
            "gdb": gdb.VERSION,
            "python": platform.python_version(),
            "python_path": [path for path in sys.path if path],
            "core": getattr(target, "path", None),
            "executable": gdb.current_progspace().filename,
            "sysroot": gdb.parameter("sysroot"),
            "broken": tuple(self.broken),
            "loaded_build_id": getattr(target, "loaded_build_id", None),
        }


class GdbHost:
    """What commands ask of GDB (session.Host)."""

    def number_of_thread(self, tid: int) -> str | None:
        """Return GDB's number of a thread: "2", of several inferiors "1.2"."""
        thread = _gdb_thread_of_tid(tid)
        if thread is None:
            return None
        number = str(thread.num)
        return number if len(gdb.inferiors()) < 2 else f"{thread.inferior.num}.{number}"

    def select(self, tid: int, level: int) -> bool:
        """Select a native frame of a thread; return False when it cannot be unwound so far."""
        from gdb_epi.gdbhost.selection import select_frame_at_level

        thread = _gdb_thread_of_tid(tid)
        return thread is not None and select_frame_at_level(thread, level)

    def evaluate(self, text: str) -> CValue:
        """Evaluate an expression of C in the selected frame. Raises InputError."""
        from gdb_epi.gdbhost.c_expressions import evaluate_c_expression

        return evaluate_c_expression(text)

    def progress(self) -> SearchProgress | None:
        """Return a line on the terminal; None where standard error is no terminal."""
        from gdb_epi.gdbhost.output import ProgressLine

        return ProgressLine() if os.isatty(2) else None

    def set_python_breakpoint(
        self, python: PythonState, place: BreakpointLocation, condition: str, *, temporary: bool
    ) -> int:
        """Watch the byte that the eval loop reads; return the number. Raises InputError."""
        from gdb_epi.gdbhost.breakpoints import set_python_breakpoint

        return set_python_breakpoint(python, place, condition, temporary=temporary)


def _gdb_thread_of_tid(tid: int) -> gdb.InferiorThread | None:
    thread = gdb.selected_thread()
    if thread is not None and thread.is_valid() and _lwp_of(thread) == tid:
        return thread
    return next(
        (candidate for candidate in gdb.selected_inferior().threads() if _lwp_of(candidate) == tid),
        None,
    )


HOST = GdbHost()


@cache
def shared_sessions() -> Sessions:
    """Return the one Sessions that the commands of this GDB share."""
    return Sessions()


def selected_lwp() -> int | None:
    """Return the LWP of the thread that the user selected."""
    thread = gdb.selected_thread()
    if thread is None or not thread.is_valid():
        return None
    return _lwp_of(thread)


def _lwp_of(thread: gdb.InferiorThread) -> int:
    pid, lwp, _ = thread.ptid
    return int(lwp or pid)


def _target_kind(inferior: gdb.Inferior) -> str | None:
    if inferior.connection is None or not inferior.threads():
        return None
    return "core" if inferior.connection.type == "core" else "live"
