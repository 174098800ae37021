# SPDX-License-Identifier: Apache-2.0
"""Look at other threads and frames, by other settings of GDB, and leave both as they were."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gdb

from gdb_epi.sizes import WORD_MASK
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.cpython.frames.merged_stack import SelectedFrame


@contextmanager
def restore_selection_afterwards() -> Iterator[None]:
    """Restore the selected thread and frame on leaving.

    The level is the fallback: switching threads may make a frame object invalid.
    """
    thread = gdb.selected_thread()
    try:
        frame = gdb.selected_frame()
        level = frame.level()
    except gdb.error:
        frame, level = None, 0
    try:
        yield
    finally:
        if thread is not None and thread.is_valid():
            thread.switch()
            _reselect_frame(frame, level)


def selected_frame() -> SelectedFrame | None:
    """Return the frame that the user, or `frame apply`, selected; None for the innermost.

    An inlined function has the stack pointer of the frame that it is part of, as in native.py.
    """
    try:
        frame = gdb.selected_frame()
        level, pc = frame.level(), frame.pc()
    except gdb.error:
        return None
    if level == 0:
        return None
    from gdb_epi.cpython.frames.merged_stack import SelectedFrame

    return SelectedFrame(level, pc, _physical_sp(frame))


def _physical_sp(frame: gdb.Frame | None) -> int:
    """Return the stack pointer of a frame or of the one that it is inlined into; 0 if unknown."""
    try:
        while frame is not None and frame.type() in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            frame = frame.older()
        return int(frame.read_register("sp")) & WORD_MASK if frame is not None else 0
    except (gdb.error, ValueError):
        return 0


def select_frame_at_level(thread: gdb.InferiorThread, level: int) -> bool:
    """Select a frame of a thread by its level, 0 innermost; return whether it exists."""
    try:
        if not thread.is_valid():
            return False
        if thread != gdb.selected_thread():
            thread.switch()
        frame = gdb.newest_frame()
        while frame is not None and frame.level() < level:
            frame = frame.older()
        if frame is None:
            return False
        frame.select()
    except gdb.error:
        return False
    return True


@contextmanager
def temporary_gdb_setting(name: str, wanted: str) -> Iterator[None]:
    """Give one of GDB's settings another value, and its own again on leaving."""
    value = gdb.parameter(name)
    before = str(value) if not isinstance(value, bool) else "on" if value else "off"
    if before == wanted:
        yield
        return
    gdb.execute(f"set {name} {wanted}", False, True)
    try:
        yield
    finally:
        gdb.execute(f"set {name} {before}", False, True)


def _reselect_frame(frame: gdb.Frame | None, level: int) -> None:
    """Select a frame again by identity, else by its level; frame 0 is what switch() chose."""
    if frame is None or level == 0:
        return
    try:
        if not frame.is_valid():
            frame = gdb.newest_frame()
            for _ in range(level):
                frame = frame.older() if frame is not None else None
        if frame is not None:
            frame.select()
    except gdb.error:
        return  # the stack cannot be unwound any more: frame 0 stays
