# SPDX-License-Identifier: Apache-2.0
"""ProcessState: everything decoded of one process, each part on first use, then frozen."""

from __future__ import annotations

from functools import cached_property

from gdb_epi.cpython.types import MergedStack, PyFrame, PythonState, ThreadState
from gdb_epi.errors import NOT_APPLICABLE, Absent, InputError, SoftError
from gdb_epi.target.api import (
    CrashInfo,
    NativeFrame,
    ProcessInfo,
    Region,
    Target,
    Thread,
    target_noun,
)
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import memoized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gdb_epi.cpython.frames.callee import Callee, CalleeReader, MethodTables
    from gdb_epi.cpython.frames.eval_calls import EvalCall, EvalCallReader
    from gdb_epi.cpython.frames.merged_stack import SelectedFrame
    from gdb_epi.cpython.running.exceptions import ThreadExceptions
    from gdb_epi.fault.account import FaultAccount
    from gdb_epi.fault.find_fault import Fault
    from gdb_epi.fault.gone_objects import GoneObject
    from gdb_epi.fault.native_call import NativeCall
    from gdb_epi.fault.variables_holding_address import HoldingVariable
    from gdb_epi.hangs.signal_waits import SignalSender
    from gdb_epi.hangs.types import HangDiagnosis
    from gdb_epi.locks.fork.fork_facts import ForkFacts
    from gdb_epi.locks.types import LockReport

# Stages whose errors are about native frames: how they were unwound, placed and told apart.
NATIVE_STAGES = frozenset({"native", "native frames", "merge", "callee"})


class ProcessState:
    """The decoded process. Decoders are imported when their part is asked for."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.soft_errors: list[SoftError] = []
        self._calls: dict[int, Sequence[EvalCall]] = {}
        self._call_reader: EvalCallReader | None = None
        self._callee_reader: CalleeReader | None = None

    @cached_property
    def crash(self) -> CrashInfo | Absent:
        """How the process died."""
        return self.target.crash()

    @cached_property
    def fault(self) -> Fault | Absent:
        """What failed; of a re-raised signal the interrupted context (one search of memory)."""
        from gdb_epi.fault.find_fault import find_fault

        return find_fault(self.target, self.crash)

    @cached_property
    def fault_account(self) -> FaultAccount | Absent:
        """The account of the fault: which access failed, and what lies at its address."""
        from gdb_epi.fault.account import account_of_fault

        return (
            self.fault
            if isinstance(self.fault, Absent)
            else account_of_fault(self.target, self.fault)
        )

    @cached_property
    def variables_holding_bad_address(self) -> Sequence[HoldingVariable]:
        """The variables of the thread's Python frames that hold the bad address."""
        from gdb_epi.fault.account import WITHOUT_ADDRESS
        from gdb_epi.fault.variables_holding_address import variables_holding

        account = self.fault_account
        if isinstance(account, Absent) or not account.fault.is_hardware_trap:
            return ()
        if account.how in WITHOUT_ADDRESS:  # where the instruction stands is no bad address
            return ()
        fault = account.fault
        address = account.address if account.address is not None else fault.address
        return variables_holding(self.target, self.python, fault.tid, address)

    @cached_property
    def gone_objects(self) -> Sequence[GoneObject]:
        """The variables of the thread's Python frames whose objects are gone."""
        account = self.fault_account
        if isinstance(account, Absent) or not account.fault.is_hardware_trap:
            return ()
        from gdb_epi.fault.gone_objects import gone_objects

        return gone_objects(self.target, self.python, account.fault.tid)

    @cached_property
    def native_call(self) -> NativeCall | None:
        """The call by which Python code reached the native function that failed."""
        from gdb_epi.fault.account import WITHOUT_ADDRESS
        from gdb_epi.fault.native_call import native_call_of_failure

        account = self.fault_account
        if isinstance(account, Absent) or isinstance(self.python, Absent):
            return None
        tid = account.fault.tid
        thread, natives = self.python_thread(tid), self.target.native_frames(tid)
        if account.how in WITHOUT_ADDRESS or thread is None or not thread.frames:
            return None
        if isinstance(natives, Absent):
            return None
        frame = self.innermost_frame(tid, thread)
        return native_call_of_failure(self.target, self.python, frame, natives)

    @cached_property
    def process(self) -> ProcessInfo | Absent:
        """Pids and command."""
        return self.target.process()

    @cached_property
    def python(self) -> PythonState | Absent:
        """The CPython runtime, or why there is none."""
        from gdb_epi.cpython.runtime.python_state import decode_python

        return decode_python(self.target)

    def required_python(self) -> PythonState:
        """Return the CPython runtime. Raises InputError when there is none."""
        if isinstance(self.python, Absent):
            raise InputError(f"Python was not decoded: {self.python.detail}", hint="epi doctor")
        return self.python

    @cached_property
    def locks(self) -> LockReport:
        """Waiting threads, lock owners and evidence of a fork."""
        from gdb_epi.locks.examine_locks import examine_locks

        return examine_locks(self.target, self.python, self.fork_facts, self._threads_before_signal)

    @cached_property
    def hang(self) -> HangDiagnosis | Absent:
        """What a process that did not fail by itself was doing: stuck, busy or idle."""
        from gdb_epi.hangs.external_termination import was_ended_from_outside

        if not was_ended_from_outside(self.crash, self.fault):
            return Absent(NOT_APPLICABLE, "the process failed by itself")
        from gdb_epi.hangs.diagnose_hang import diagnose_hang

        return diagnose_hang(self.target, self.python, self.locks, self._threads_before_signal)

    @cached_property
    def signal_sender(self) -> SignalSender | None:
        """The thread of this process that sent the signal which another one took."""
        from gdb_epi.fault.find_fault import PROCESS

        fault, python = self.fault, self.python
        if isinstance(fault, Absent) or isinstance(python, Absent) or fault.sender != PROCESS:
            return None
        from gdb_epi.hangs.hang_context import HangContext
        from gdb_epi.hangs.signal_waits import find_signal_sender

        context = HangContext(self.target, python, self.locks, self.target.threads())
        return find_signal_sender(context, fault.tid)

    @cached_property
    def _threads_before_signal(self) -> Sequence[Thread]:
        """The threads, as they were before a handler raised the signal again, or one stopped."""
        from gdb_epi.fault.find_fault import threads_before_signal_reraised
        from gdb_epi.fault.signal_sender import threads_in_restarted_calls

        before = threads_before_signal_reraised(self.target.threads(), self.fault)
        return threads_in_restarted_calls(self.target, before)

    @cached_property
    def fork_facts(self) -> ForkFacts:
        """Evidence of a fork and the threads that it left behind; no lock is examined."""
        from gdb_epi.locks.fork.fork_facts import examine_fork

        return examine_fork(self.target, self.python)

    @cached_property
    def exceptions(self) -> tuple[ThreadExceptions, ...]:
        """Exceptions of every Python thread state, without their texts; empty without Python."""
        if not isinstance(self.python, PythonState):
            return ()
        from gdb_epi.cpython.running.exceptions import read_thread_exceptions

        return tuple(read_thread_exceptions(self.target, self.python))

    def python_threads(self) -> tuple[ThreadState, ...]:
        """Return all Python thread states; empty when there is no Python."""
        return self.python.threads() if isinstance(self.python, PythonState) else ()

    @cached_property
    def _thread_states_by_tid(self) -> dict[int, list[ThreadState]]:
        """The living thread states of each LWP, of which several interpreters may have one."""
        by_tid: dict[int, list[ThreadState]] = {}
        for thread in self.python_threads():
            if thread.tid is not None and thread.alive:
                by_tid.setdefault(thread.tid, []).append(thread)
        return by_tid

    def _thread_states_with_frames(self, tid: int) -> list[ThreadState]:
        """Return the thread states of an LWP that have frames; python_thread() takes the first."""
        return [thread for thread in self._thread_states_by_tid.get(tid, ()) if thread.frames]

    def python_thread(self, tid: int) -> ThreadState | None:
        """Return the thread state that runs on an LWP: the innermost, which has frames."""
        states = self._thread_states_by_tid.get(tid, [None])
        return next(iter(self._thread_states_with_frames(tid)), states[-1])

    @cached_property
    def _lwps_by_tid(self) -> dict[int, Thread]:
        return {thread.tid: thread for thread in self.target.threads()}

    def thread(self, tid: int) -> Thread | None:
        """Return the LWP with this id."""
        return self._lwps_by_tid.get(tid)

    def crashed_tid(self) -> int | None:
        """Return the thread that the kernel wrote first."""
        threads = self.target.threads()
        return threads[0].tid if threads else None

    def is_crashed_thread(self, tid: int | None, thread: ThreadState | None) -> bool:
        """Tell whether an LWP is the one that the kernel wrote first.

        A ghost (a thread state without an LWP) may carry its number; it did not die there.
        """
        alive = thread is None or thread.alive
        return alive and tid is not None and tid == self.crashed_tid()

    @memoized
    def stack(self, tid: int) -> MergedStack:
        """Return the merged native and Python stack of one LWP."""
        from gdb_epi.cpython.frames.merged_stack import merge_stack, name_trampolines

        native = self.target.native_frames(tid)
        if not isinstance(native, Absent):
            native = name_trampolines(self.target, native)
        calls, note = self._eval_calls(tid, native)
        notes = (note,) if note else ()
        merged = merge_stack(tid, self.python_thread(tid), native, calls, notes)
        self._calls[tid] = calls or ()
        self.soft_errors += [SoftError("merge", f"thread {tid}", n) for n in merged.notes]
        return merged

    def innermost_frame(self, tid: int, thread: ThreadState) -> PyFrame:
        """Return the innermost Python frame of one LWP, `thread` being one that it runs.

        Where several interpreters run on it, their places on the C stack tell which one it is.
        """
        if len(self._thread_states_with_frames(tid)) < 2:
            return thread.frames[0]
        return next(f.python for f in self.stack(tid).frames if f.python is not None)

    def python_frames(self, tid: int, thread: ThreadState) -> Sequence[PyFrame]:
        """Return the Python frames of one LWP, those of other interpreters on it as well."""
        if len(self._thread_states_with_frames(tid)) < 2:
            return thread.frames
        return tuple(f.python for f in self.stack(tid).frames if f.python is not None)

    def python_frame_for_native_frame(self, tid: int, selected: SelectedFrame) -> PyFrame | Absent:
        """Return the Python frame that a native frame of one LWP stands for."""
        from gdb_epi.cpython.frames.merged_stack import find_python_frame

        stack = self.stack(tid)
        return find_python_frame(stack, self._calls[tid], selected)

    def _eval_calls(
        self, tid: int, native: Sequence[NativeFrame] | Absent
    ) -> tuple[list[EvalCall] | None, str]:
        """Return the eval calls of one LWP; None when its Python frames alone are at stake."""
        threads = self._thread_states_with_frames(tid)
        if isinstance(native, Absent) and len(threads) < 2:
            return None, ""
        if self._call_reader is None:
            if not isinstance(self.python, PythonState):
                return None, ""
            from gdb_epi.cpython.frames.eval_calls import EvalCallReader

            self._call_reader = EvalCallReader(self.target, self.python.layout)
        return self._call_reader.calls_of_lwp(threads, native)

    def callees(self, tid: int) -> dict[int, Callee]:
        """Return the C functions that Python frames of one LWP were calling, by frame address."""
        if self._callee_reader is None:
            if not isinstance(self.python, PythonState):
                return {}
            from gdb_epi.cpython.frames.callee import CalleeReader

            self._callee_reader = CalleeReader(self.target, self.python.layout)
        callees = self._callee_reader.callees_in_stack(self.stack(tid))
        if self._callee_reader.has_spent_budget:
            why = "too many objects on value stacks: only C symbols say what frames were calling"
            self.soft_errors.append(SoftError("callee", "all threads", why))
        return callees

    @cached_property
    def method_tables(self) -> MethodTables | None:
        """The names that extension modules give to their C functions; None without CPython."""
        if not isinstance(self.python, PythonState):
            return None
        from gdb_epi.cpython.frames.callee import MethodTables

        return MethodTables(self.target, self.python.layout)

    def stack_of_thread_without_lwp(self, thread: ThreadState) -> MergedStack:
        """Return the Python stack of a thread state that has no LWP in the core."""
        from gdb_epi.cpython.frames.merged_stack import merge_stack

        absent = Absent(NOT_APPLICABLE, f"the thread is not in the {target_noun(self.target.kind)}")
        return merge_stack(thread.tid, thread, absent)

    def region_at(self, address: int) -> Region | None:
        """Return the mapping that holds `address`."""
        return self.target.region_at(address)

    def all_soft_errors(self) -> list[SoftError]:
        """Return what could not be had, of all parts decoded so far, without repeats."""
        errors = [*self.target.soft_errors, *self.soft_errors]
        if isinstance(self.python, PythonState):
            errors += self.python.soft_errors
            for thread in self.python.threads():
                errors += thread.soft_errors
        return list(dict.fromkeys(errors))

    def python_soft_errors(self) -> list[SoftError]:
        """Return those of all_soft_errors() that are not about native stacks alone.

        Commands about Python's objects read no native stack: what one lacks is no gap of theirs.
        """
        return [error for error in self.all_soft_errors() if error.stage not in NATIVE_STAGES]
