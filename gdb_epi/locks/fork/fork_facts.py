# SPDX-License-Identifier: Apache-2.0
"""Whether a process is a forked child, and which threads it lost: found without any lock.

Each sign has a name (F1 ... F15) and is reported by it, with its reading or with why it could not
be read. "Forked" alone is a fact, not a finding: daemons and pools fork too.

A lineage names a process and all its forked children until exec. glibc takes the stack canary and
the pointer guard from the 16 random bytes that the kernel gives at exec (AT_RANDOM;
sysdeps/unix/sysv/linux/dl-osinfo.h, 2.31 to 2.42), and never changes them. 120 secret bits go into
the hash, so it does not give them away; the words themselves are never stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import InterpreterState, PyFrame, PythonState
from gdb_epi.errors import Absent, LayoutError, SoftError, UnreadableMemory
from gdb_epi.fault.memory_reads import follows_call, read_u64, try_read
from gdb_epi.locks.fork.signs import (
    CERTAIN,
    NO,
    YES,
    ForkSignReadings,
    parse_start_method,
    read_glibc_signs,
    read_python_signs,
)
from gdb_epi.locks.fork.vanished_threads import find_vanished_threads
from gdb_epi.locks.types import (
    PROBABLE,
    ForkEvidence,
    ForkSign,
    ThreadInForkHandlers,
    VanishedThreads,
)
from gdb_epi.sizes import PAGE, USER_TOP, split_into_words
from gdb_epi.target.api import NativeFrame, Target, Thread
from gdb_epi.target.auxv import read_at_random_bytes
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import sha256_hex

# -- Which Python frame is inside a call that forks, and which hooks run around a fork -------------
#
# A call keeps its callable on the caller's value stack until it returns, but a slot may also be
# stale, so other evidence must confirm this. The hooks are exact: os.register_at_fork() keeps
# them in lists of the interpreter (Modules/posixmodule.c, register_at_fork; 3.7 to 3.15).

BEFORE, CHILD, PARENT = "before the fork", "in the child", "in the parent"
_LISTS = {"before_forkers": BEFORE, "after_forkers_child": CHILD, "after_forkers_parent": PARENT}
FORKING = frozenset(("fork", "fork1", "forkpty", "fork_exec"))
MAX_HOOKS = 4096
MAX_SLOTS = 512  # words of one frame: locals and value stack


class ForkHook(NamedTuple):
    """A function registered with os.register_at_fork(): its code object, and when it runs."""

    code: int
    when: str


def read_fork_hooks(reader: MemoryReader, python: PythonState) -> list[ForkHook]:
    """Return the hooks written in Python; C functions leave no frame."""
    hooks: list[ForkHook] = []
    for interpreter in python.interpreters[:1]:
        for member, when in _LISTS.items():
            try:
                hooks += [
                    ForkHook(code, when) for code in _codes_of_hooks(reader, interpreter, member)
                ]
            except (UnreadableMemory, LayoutError):
                continue
    return hooks


def _codes_of_hooks(
    reader: MemoryReader, interpreter: InterpreterState, member: str
) -> Iterator[int]:
    layout = reader.layout
    at = layout.offset("PyInterpreterState", member)
    hooks = reader.u64(interpreter.address + at) if at is not None else 0
    if not hooks:
        return
    for function in ContainerReader(reader).list_items(hooks)[:MAX_HOOKS]:
        code = _code_of_function(reader, function)
        if code is not None:
            yield code


def _code_of_function(reader: MemoryReader, function: int) -> int | None:
    """Return the code object of a function or bound method."""
    name = reader.type_name(reader.type_of(function))
    if name == "method":
        function = reader.field(function, "PyMethodObject", "im_func")
        name = reader.type_name(reader.type_of(function))
    if name != "function":
        return None
    return reader.field(function, "PyFunctionObject", "func_code")


def find_forking_call(reader: MemoryReader, frame: PyFrame) -> str | None:
    """Return the name of a forking built-in to which a frame refers, else None."""
    at = reader.layout.offset("_PyInterpreterFrame", "localsplus")
    if at is None:
        at = reader.layout.offset("PyFrameObject", "f_localsplus")
    if at is None or not frame.address:
        return None
    for word in _pointers_in_frame_slots(reader, frame.address + at):
        name = _builtin_name(reader, word & ~3)
        if name in FORKING:
            return name
    return None


def _pointers_in_frame_slots(reader: MemoryReader, start: int) -> Iterator[int]:
    region = reader.target.region_at(start)
    if region is None:
        return
    slots = split_into_words(
        try_read(reader.target, start, min(8 * MAX_SLOTS, region.end - start) & -8)
    )
    yield from (word for word in slots if PAGE < word < USER_TOP)


def _builtin_name(reader: MemoryReader, address: int) -> str | None:
    region = reader.target.region_at(address)
    if address & 7 or region is None or "w" not in region.perms:
        return None
    try:
        if reader.type_name(reader.type_of(address)) != "builtin_function_or_method":
            return None
        name = reader.method_def_name(address)
    except (UnreadableMemory, LayoutError):
        return None
    return None if isinstance(name, Absent) else name


# Is a thread inside the handlers that run around a fork, or between fork and exec?
#
# In the child of os.fork() run, in this order: glibc's own re-initialisation and the child
# handlers
# of pthread_atfork(), CPython's re-initialisation in C (PyOS_AfterFork_Child), the hooks of
# os.register_at_fork(). What has not run by then is in the parent's state still.


C_HANDLERS = "pthread_atfork handlers"
CPYTHON = "CPython's own re-initialisation"
PYTHON_HOOK = "Python hook"
PREEXEC = "before exec"
# Innermost match wins (glibc sysdeps/nptl/fork.h, posix/fork.c; CPython Modules/posixmodule.c).
_NATIVE = {
    "__run_postfork_handlers": C_HANDLERS,
    "__run_fork_handlers": C_HANDLERS,
    "_PyEval_ReInitThreads": CPYTHON,
    "_PyThreadState_DeleteExcept": CPYTHON,
    "_PyThreadState_DeleteList": CPYTHON,
    "_PyRuntimeState_ReInitThreads": CPYTHON,
    "PyOS_AfterFork_Child": CPYTHON,
    "run_at_forkers": PYTHON_HOOK,
    "__libc_fork": C_HANDLERS,
    "fork": C_HANDLERS,
    "_Fork": C_HANDLERS,
}
STACK_SEARCHED = 16384  # bytes above rsp that may belong to fork() and its callees
_FUNCTION = 4096  # bytes after a symbol that may be its function


def find_thread_in_fork_handlers(
    target: Target, python: PythonState | Absent, fork: ForkEvidence
) -> ThreadInForkHandlers | None:
    """Return which handler a thread of this process is in, or None."""
    for thread in target.threads()[:64]:
        handlers = _handlers_of_thread(target, python, fork, thread)
        if handlers is not None:
            return handlers
    return None


def _handlers_of_thread(
    target: Target, python: PythonState | Absent, fork: ForkEvidence, thread: Thread
) -> ThreadInForkHandlers | None:
    reader = None
    frames: Sequence[PyFrame] = ()
    if isinstance(python, PythonState):
        own = (t for t in python.threads() if t.alive and t.ident == thread.ident)
        frames = next((state.frames for state in own), ())
        with suppress(UnreadableMemory, LayoutError):
            memory = MemoryReader(target, python.layout)
            hook = _thread_in_python_hook(memory, python, thread, frames)
            if hook is not None:
                return hook
            reader = memory
    if not fork.forked:
        return None
    calls = find_forking_call(reader, frames[0]) if reader is not None and frames else None
    return _thread_in_c_handlers(target, fork, thread, frames, calls)


def _thread_in_python_hook(
    reader: MemoryReader, python: PythonState, thread: Thread, frames: Sequence[PyFrame]
) -> ThreadInForkHandlers | None:
    """A hook's frame that C called from a frame that is inside a forking call: exact."""
    hooks: list[ForkHook] | None = None
    for frame, caller in pairwise(frames):
        if not frame.is_entry or frame.hole is not None or caller.hole is not None:
            continue
        hooks = read_fork_hooks(reader, python) if hooks is None else hooks
        hook = next((registered for registered in hooks if registered.code == frame.code), None)
        before_exec = caller.module == "subprocess" and caller.name == "_execute_child"
        if hook is None and not before_exec:
            continue
        name, where = find_forking_call(reader, caller), function_at_line(frame)
        if name is not None and hook is not None:
            stage, when = PYTHON_HOOK, hook.when
            says = f"inside the hook {where}, which os.register_at_fork() runs {when}"
        elif name == "fork_exec":
            stage, when = PREEXEC, CHILD
            says = f"inside the preexec_fn {where}: between fork and exec"
        else:
            continue
        return ThreadInForkHandlers(
            tid=thread.tid,
            stage=stage,
            when=when,
            where=where,
            sure=CERTAIN,
            says=says,
            frame=frame,
        )
    return None


def _thread_in_c_handlers(
    target: Target, fork: ForkEvidence, thread: Thread, frames: Sequence[PyFrame], calls: str | None
) -> ThreadInForkHandlers | None:
    native = target.native_frames(thread.tid)
    if not isinstance(native, Absent) and native:
        return _thread_in_native_handlers(thread, native)
    if calls is None:
        return None
    # Without an unwinder: the innermost Python frame refers to the built-in that forks, and a
    # return address into fork() or PyOS_AfterFork_Child() lies above the stack pointer.
    stage = _return_address_into_fork(target, thread)
    if stage is None:
        return None
    stale = any(signal.name == "F10" for signal in fork.signals)
    state = "the parent's thread states are still there" if stale else "thread states are cleared"
    says = (
        f"{function_at_line(frames[0])} is inside {calls}(); a return address into {stage[1]}; "
        f"{state}"
    )
    return ThreadInForkHandlers(
        tid=thread.tid, stage=stage[0], when=CHILD, where=stage[1], sure=PROBABLE, says=says
    )


def _thread_in_native_handlers(
    thread: Thread, native: Sequence[NativeFrame]
) -> ThreadInForkHandlers | None:
    for position, frame in enumerate(native):
        name = (frame.function or "").partition("@")[0].partition(".")[0]
        if name in _NATIVE:
            inner = native[position - 1].function if position else None
            says = f"below {name}()" if inner is None else f"{inner}() below {name}()"
            stage, where = _NATIVE[name], inner or name
            return ThreadInForkHandlers(
                tid=thread.tid, stage=stage, when=CHILD, where=where, sure=CERTAIN, says=says
            )
    return None


def _return_address_into_fork(target: Target, thread: Thread) -> tuple[str, str] | None:
    """Return (stage, function) of the innermost return address into fork's own functions."""
    places = [
        (start, stage, name)
        for name, stage in (("PyOS_AfterFork_Child", CPYTHON), ("fork", C_HANDLERS))
        if (start := target.symbol(name)) is not None
    ]
    top = thread.sp
    region = target.region_at(top) if top else None
    if region is None or not places:
        return None
    for word in split_into_words(try_read(target, top, min(STACK_SEARCHED, region.end - top))):
        for start, stage, name in places:
            inside = start < word < start + _FUNCTION
            if inside and follows_call(target, thread.architecture, word):
                return stage, name
    return None


def function_at_line(frame: PyFrame) -> str:
    """Return "function at file:line" of a Python frame."""
    file = frame.filename.rpartition("/")[2]
    return f"{frame.qualname or frame.name} at {file}:{frame.lineno or '?'}"


# -- Whether a process is a forked child, and which threads it lost: found without any lock --------

POINTER_GUARD = 8  # bytes after the canary in tcbhead_t
_SALT = b"gdb-epi lineage/1"
# Each of these proves a fork by itself; F6 only when it shows a raw clone.
_PROOFS = frozenset({"F1", "F2", "F3", "F5", "F7", "F8"})


def _stack_canary_in_thread_memory(target: Target) -> bytes | None:
    threads = target.threads()
    at = threads[0].architecture.canary_at if threads else None
    base = threads[0].thread_pointer if threads else 0
    if not base or at is None:
        return None
    canary, guard = read_u64(target, base + at), read_u64(target, base + at + POINTER_GUARD)
    if not canary or not guard:
        return None
    return canary.to_bytes(8, "little") + guard.to_bytes(8, "little")


def _stack_canary_from_auxv(target: Target) -> bytes | None:
    raw = read_at_random_bytes(target)
    # The canary's lowest byte is 0, so that no string function copies it.
    return None if raw is None else b"\0" + raw[1:]


_ORDER = tuple(f"F{number}" for number in range(1, 16))


def read_fork_signs(target: Target, python: PythonState | Absent) -> ForkSignReadings:
    """Read every sign of a process."""
    reader = ForkSignReadings(target, python)
    read_glibc_signs(reader)
    read_python_signs(reader)
    _read_signs_of_core_notes(reader)
    return reader


def conclude_from_signs(reader: ForkSignReadings) -> ForkEvidence:
    """Return what the readings amount to."""
    # 16 hex digits that parent and child share; None when neither source is readable.
    secret = _stack_canary_in_thread_memory(reader.target) or _stack_canary_from_auxv(reader.target)
    secret_hash = None if secret is None else sha256_hex(_SALT + secret)[:16]
    if secret_hash is None:
        reader.record_unreadable("F14", "neither the canary nor AT_RANDOM can be read")
    else:
        reader.record_info(
            "F14", f"exec lineage {secret_hash}: equal in parent and forked child", CERTAIN
        )
    yes = reader.signs_in_state(YES)
    forked = bool(yes & _PROOFS) or reader.raw_clone
    looked = forked or reader.state_of_sign("F1") == NO or reader.state_of_sign("F2") == NO
    readings = tuple(reader.readings[name] for name in _ORDER if name in reader.readings)
    return ForkEvidence(
        forked=forked if looked else None,
        depth=_forks_since_exec(reader, yes, forked),
        parent_multithreaded=_had_parent_other_threads(reader, yes, forked=forked),
        from_main_thread=reader.from_main if forked else None,
        hooks_bypassed=_bypassed_handlers(reader, yes, forked=forked),
        in_fork_handlers=None,
        lineage=secret_hash,
        signals=tuple(ForkSign(r.name, r.says, r.sure) for r in readings if r.state == YES),
        old_tids=tuple(sorted(reader.old_tids)),
        readings=readings,
        forker_old_tid=_forking_thread_number(reader, forked),
        started_by=reader.started_by,
    )


def _forks_since_exec(reader: ForkSignReadings, yes: set[str], forked: bool) -> int | None:
    """Return the forks since exec: what glibc counts, and one more that it did not count."""
    uncounted = "F3" in yes or reader.raw_clone
    if reader.generation is None:
        return None
    if uncounted:
        return reader.generation + 1
    return None if forked and not reader.generation else reader.generation


def _had_parent_other_threads(
    reader: ForkSignReadings, yes: set[str], *, forked: bool
) -> bool | None:
    if forked and yes & {"F2", "F3", "F5", "F8", "F9"}:
        return True
    if not forked or (forked and "F10" in yes):
        return True if forked else None
    # Every orphan stack may have been reused by threads of the child, so their absence proves
    # nothing while the lineage once had threads.
    unsure = reader.state_of_sign("F2") != NO or "F15" in yes or len(reader.threads) > 1
    return None if unsure else False


def _forking_thread_number(reader: ForkSignReadings, forked: bool) -> int | None:
    """Return the number that the forking thread had in the parent.

    The kernel writes the number of the thread that forked into pr_ppid, not that of its process
    (fs/binfmt_elf.c, fill_psinfo: real_parent), as long as that thread lives.
    """
    process = reader.target.process()
    if not forked:
        return None
    if reader.forker is not None or isinstance(process, Absent):
        return reader.forker
    return process.ppid if process.ppid > 1 and not reader.other_view else None


def _bypassed_handlers(reader: ForkSignReadings, yes: set[str], *, forked: bool) -> bool | None:
    if not forked:
        return None
    if "F3" in yes or "F10" in yes or reader.raw_clone:
        return True
    return False if isinstance(reader.python, PythonState) else None


def _read_signs_of_core_notes(reader: ForkSignReadings) -> None:
    """F4, F12, F13: what GDB and the notes of the core say."""
    reader.record_info("F4", "not asked: F3 tells the same of glibc's lists")
    process = reader.target.process()
    if isinstance(process, Absent):
        reader.record_unreadable("F12", process.detail)
        reader.record_unreadable("F13", process.detail)
        return
    method = parse_start_method(reader.target)
    if method is not None:
        reader.record_info(
            "F12", f"the command line is that of multiprocessing's {method}: exec came"
        )
    else:
        reader.record_info("F12", "the command line is not one of multiprocessing's")
    ended = " (its parent has ended, or it is in a container)" if process.ppid == 1 else ""
    reader.record_info("F13", f"forked by thread {process.ppid} of its parent{ended}", CERTAIN)


def add_handlers_to_evidence(
    evidence: ForkEvidence, handlers: ThreadInForkHandlers | None
) -> ForkEvidence:
    """Return the evidence of a process whose handlers were looked for.

    A child that is still inside them has not bypassed them: thread states of vanished threads (F10)
    are then what has not been cleared yet.
    """
    inside = handlers is not None and handlers.when == CHILD
    bypassed = evidence.hooks_bypassed
    if inside and not any(signal.name in ("F3", "F6") for signal in evidence.signals):
        bypassed = False if evidence.forked else None
    return evidence._replace(in_fork_handlers=handlers is not None, hooks_bypassed=bypassed)


class ForkFacts(NamedTuple):
    """What is known about a fork without looking at any lock."""

    evidence: ForkEvidence
    handlers: ThreadInForkHandlers | None
    vanished: VanishedThreads
    soft_errors: tuple[SoftError, ...]


def examine_fork(target: Target, python: PythonState | Absent) -> ForkFacts:
    """Return whether this is a forked child, and which threads it lost."""
    signs = read_fork_signs(target, python)
    evidence = conclude_from_signs(signs)
    handlers = find_thread_in_fork_handlers(target, python, evidence)
    evidence = add_handlers_to_evidence(evidence, handlers)
    vanished = find_vanished_threads(target, python, evidence, signs.thread_objects)
    return ForkFacts(evidence, handlers, vanished, (*signs.soft_errors(), *vanished.soft_errors))
