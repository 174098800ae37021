# SPDX-License-Identifier: Apache-2.0
"""Which LWP runs a thread state whose pthread_t does not match one.

Two cases. The thread state of a sub-interpreter keeps the pthread_t of the thread that made it,
whichever thread runs it (Python/pystate.c, up to 3.12). And in a forked child a new thread may get
the stack, and with it the pthread_t, of a thread that did not come along: its thread state is left
over beside the new one. What lies on the C stacks decides, or the thread's number; else nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from gdb_epi.cpython.frames.eval_calls import FRAME_POINTERS, EvalCallReader
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.types import InterpreterState, ThreadState
from gdb_epi.errors import Absent, SoftError, UnreadableMemory
from gdb_epi.sizes import split_into_words
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

MAX_STACK_BYTES = 4 << 20  # of one LWP's stack that are searched for pointers
MAX_ALL_BYTES = 64 << 20
MAX_POINTERS = 200  # frames of one thread state that are looked for
CANNOT_TELL = "shares its ident with another thread state: which of them runs cannot be told"


class _StackExtent(NamedTuple):
    tid: int
    low: int  # the stack pointer
    high: int


class _UsedCStacks:
    """The used parts of the C stacks of all LWPs."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._left = MAX_ALL_BYTES
        self.extents: list[_StackExtent] = []
        for thread in target.threads():
            low = thread.sp & ~7
            region = target.region_at(low)
            if region is None or "w" not in region.perms:
                continue
            base = thread.ident  # glibc: at the top of a thread's stack
            high = base if low < base <= region.end else region.end
            self.extents.append(_StackExtent(thread.tid, low, high))

    def lwp_of_stack(self, address: int) -> int | None:
        """Return the LWP on whose stack an address lies; None when it lies on none."""
        around = [extent for extent in self.extents if extent.low <= address < extent.high]
        return max(around, key=lambda extent: extent.low).tid if around else None

    def lwps_holding_words(self, addresses: Iterable[int]) -> list[int]:
        """Return the LWPs whose stacks hold all of these words; none for no words."""
        wanted = frozenset(addresses)
        if not wanted:
            return []
        return [extent.tid for extent in self.extents if wanted <= self._words_of_extent(extent)]

    @memoized
    def _words_of_extent(self, extent: _StackExtent) -> frozenset[int]:
        size = (extent.high - extent.low) & ~7
        self._left -= size
        if size <= MAX_STACK_BYTES and self._left >= 0:
            with suppress(UnreadableMemory):
                return frozenset(split_into_words(self._target.read(extent.low, size)))
        return frozenset()


def match_thread_states(
    target: Target,
    layout: Layout,
    interpreters: list[InterpreterState],
    native_id: Callable[[int], int | None],
) -> list[InterpreterState]:
    """Return the interpreters with each thread state at the LWP that runs it.

    `native_id` gives a thread state's own word for its number, None where there is none (before
    3.11). A thread state that cannot be matched says so in `doubt`, and is not called alive.
    """
    binder = _ThreadStateLwpMatcher(target, layout, native_id)
    count: dict[int, int] = {}
    for thread in (t for interpreter in interpreters for t in interpreter.threads):
        count[thread.ident] = count.get(thread.ident, 0) + 1
    matched = []
    for interpreter in interpreters:
        threads = [
            binder.thread_state_at_lwp_of_stack(t)
            if interpreter.id and (count[t.ident] > 1 or not t.alive)
            else t
            for t in interpreter.threads
        ]
        matched.append(interpreter._replace(threads=tuple(binder.mark_all_but_one_dead(threads))))
    return matched


class _ThreadStateLwpMatcher:
    def __init__(
        self, target: Target, layout: Layout, native_id: Callable[[int], int | None]
    ) -> None:
        self._calls = EvalCallReader(target, layout)
        self._stacks = _UsedCStacks(target)
        self._native_id = native_id
        self._idents = {t.tid: t.ident for t in target.threads() if t.ident}
        crash = target.crash()
        self._crashed = None if isinstance(crash, Absent) else crash.tid

    def thread_state_at_lwp_of_stack(self, thread: ThreadState) -> ThreadState:
        """Return a sub-interpreter's thread state at the LWP on whose C stack its frames run."""
        if not thread.frames:
            return thread
        tid, evidence = self._lwp_by_stack(thread)
        if tid is None and thread.alive:
            message = (
                "several thread states share its ident, the thread that made them; on which "
                "thread its frames run cannot be told"
            )
            return _add_error(thread, message)
        if tid is None or (tid == thread.tid and thread.alive):
            return thread
        message = (
            f"a thread state with the ident of thread {thread.tid}, which made it, is this "
            f"thread's: {evidence} on its C stack"
        )
        ident = self._idents.get(tid, thread.ident)
        crashed = tid == self._crashed
        return _add_error(
            thread._replace(ident=ident, tid=tid, alive=True, crashed=crashed), message
        )

    def _lwp_by_stack(self, thread: ThreadState) -> tuple[int | None, str]:
        calls = [call for call in self._calls.calls_of(thread) if call.on_stack]
        if calls:
            owners = {self._stacks.lwp_of_stack(call.on_stack) for call in calls}
            return (owners.pop() if len(owners) == 1 else None), calls[0].evidence
        holders = self._lwps_holding_frames(thread)
        return (holders[0] if len(holders) == 1 else None), FRAME_POINTERS

    def _lwps_holding_frames(self, thread: ThreadState) -> list[int]:
        addresses = [f.address for f in thread.frames if f.address][:MAX_POINTERS]
        return self._stacks.lwps_holding_words(addresses)

    def mark_all_but_one_dead(self, threads: list[ThreadState]) -> list[ThreadState]:
        """Return the thread states of one interpreter; one of those that share a thread lives."""
        groups: dict[tuple[int, int | None], list[int]] = {}
        for index, thread in enumerate(threads):
            if thread.alive:
                groups.setdefault((thread.ident, thread.tid), []).append(index)
        for group in groups.values():
            if len(group) > 1:
                for index, thread in zip(
                    group, self._mark_doubtful_states([threads[i] for i in group]), strict=True
                ):
                    threads[index] = thread
        return threads

    def _mark_doubtful_states(self, group: list[ThreadState]) -> list[ThreadState]:
        tid = group[0].tid
        numbers = {thread.address: self._native_id(thread.address) for thread in group}
        if any(number == tid for number in numbers.values()):
            # A thread may have several: an interpreter that is entered again.
            lives = [t for t in group if numbers[t.address] == tid]
            used = {frame.address for t in lives for frame in t.frames}
            return [
                t if t in lives else _vanished_thread_state(t, numbers[t.address], used)
                for t in group
            ]
        runs = [t for t in group if t.holds_gil or tid in self._lwps_holding_frames(t)]
        if len(runs) != 1:
            return [
                t if t.holds_gil else _mark_thread_state_doubtful(t, CANNOT_TELL) for t in group
            ]
        message = (
            f"shares its ident with the thread state at {runs[0].address:#x}, which runs: its own "
            "thread is gone, or has not begun"
        )
        return [t if t is runs[0] else _mark_thread_state_doubtful(t, message) for t in group]


def _vanished_thread_state(thread: ThreadState, number: int | None, used: set[int]) -> ThreadState:
    """Return a thread state whose thread vanished, without what another thread `used` since.

    3.11 and 3.12 keep the way to the innermost frame on the C stack (_PyCFrame), which the new
    thread overwrites: it leads to the new thread's frames.
    """
    kept = tuple(frame for frame in thread.frames if frame.address not in used)
    gone = thread._replace(tid=number, alive=False, crashed=False)
    if len(kept) == len(thread.frames):
        return gone
    message = "its C stack is another thread's now: frames may be lacking, their order is a guess"
    return _add_error(gone._replace(frames=kept), message)


def _mark_thread_state_doubtful(thread: ThreadState, why: str) -> ThreadState:
    return _add_error(thread._replace(tid=None, alive=False, crashed=False, doubt=why), why)


def _add_error(thread: ThreadState, text: str) -> ThreadState:
    subject = f"thread {thread.tid}" if thread.tid is not None else f"tstate {thread.address:#x}"
    return thread._replace(soft_errors=(*thread.soft_errors, SoftError("threads", subject, text)))
