# SPDX-License-Identifier: Apache-2.0
"""An access just below the stack that the thread ran on, its own or another one.

Handlers run on an alternate stack (sigaltstack()), fibres on memory that a library mapped for them.
glibc records the block of each thread's stack in its descriptor (allocatestack.c), which lies at
the end of the block; the stack of the process is where the kernel puts the bytes of AT_RANDOM.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import (
    DOUBT,
    SMALL_STACK,
    Finding,
    detector,
    hex_word,
    plain_finding,
)
from gdb_epi.errors import Absent
from gdb_epi.fault.address_place import STACK_ENDED, has_frame_of_variable_size
from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.fault.own_native_code import is_own_library
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import PAGE, split_into_words
from gdb_epi.target.api import Region, Target, Thread, pid_of
from gdb_epi.target.auxv import AT_RANDOM
from gdb_epi.typing_lite import Any, NamedTuple

DESCRIPTOR = 2560  # bytes that are searched: struct pthread has 2,304 to 2,496 (2.31 to 2.42)
MIN_STACK = 16 << 10  # PTHREAD_STACK_MIN
BEHIND_DESCRIPTOR = 1 << 20  # bytes between a descriptor and the end of the block
DEFAULT_LIMIT = 1000  # calls: Py_DEFAULT_RECURSION_LIMIT (Include/internal/pycore_ceval.h)
# _STK_LIM of Linux (include/uapi/linux/resource.h), which glibc takes for threads too; and below
# what part of it a stack was made small by somebody.
USUAL, SMALL = 8 << 20, 2 << 20
_WORDS = 4  # stackblock, stackblock_size, guardsize, reported_guardsize
_ELSEWHERE = (
    "the stack that the thread ran on, which is not its own but the alternate stack of a signal "
    "handler, or one that a library made"
)


class ThreadStack(NamedTuple):
    """The writable part of a thread's own stack, from `start` to `end`."""

    start: int
    end: int

    def has_lower_end_in_mapping(self, region: Region) -> bool:
        """Tell whether the lower end of the stack is at the start of the mapping, or inside it."""
        return region.start <= self.start < region.end


def find_thread_stack(target: Target, thread: Thread) -> ThreadStack | None:
    """Return a thread's own stack; None where neither glibc nor the kernel tells it."""
    block = _stack_in_descriptor(target, thread.ident) if thread.ident else None
    if block is not None:
        return block
    region = target.region_at(target.auxv().get(AT_RANDOM, 0))
    if thread.tid != pid_of(target) or region is None or "w" not in region.perms:
        return None
    return ThreadStack(region.start, region.end)


def _stack_in_descriptor(target: Target, descriptor: int) -> ThreadStack | None:
    """Return the block recorded in a descriptor of glibc, without its guard."""
    words = split_into_words(read_up_to(target, descriptor, DESCRIPTOR))
    for at in range(len(words) - _WORDS + 1):
        start, size, guard, reported = words[at : at + _WORDS]
        end = start + size
        holds = 0 < start < descriptor < end <= descriptor + BEHIND_DESCRIPTOR
        if not holds or size < MIN_STACK:
            continue
        if max(guard, reported) < size and not guard % PAGE and not reported % PAGE:
            return ThreadStack(start + guard, end)
    return None


@detector("stack_overflow", needs="crash")
def stack_overflow(state: ProcessState) -> Iterator[Finding]:
    """Find an access below the stack that the thread ran out of, in its guard, or by a large frame.

    Innocent causes: this is itself the ordinary explanation. Not claimed when rsp is elsewhere (a
    wild pointer that happens to point below a stack). A stack that is far smaller than usual may be
    what is wrong, and no code: then that is in doubt, unless Python's own limit was raised too,
    native code recurses, which no limit ends, or a frame has a size that the code computed, for
    which no stack is large enough.
    Reference: the kernel's guard gap, mm/mmap.c (stack_guard_gap); glibc's guard pages.
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.place.kind != STACK_ENDED:
        return
    fault, place, stack = account.fault, account.place, account.place.region
    assert stack is not None and account.address is not None
    thread = state.thread(fault.tid)
    block = find_thread_stack(state.target, thread) if thread is not None else None
    own = None if block is None else block.has_lower_end_in_mapping(stack)
    end, large = stack.end, place.large
    if block is not None and not own and _did_caller_run_on_stack(state, fault, block):
        own, end, large = True, block.end, True  # a frame reached over the guard to other memory
    # The kernel joins mappings that lie side by side, so that a mapping may be more than a stack.
    size = block.end - block.start if own and block is not None else stack.size
    facts: dict[str, Any] = {
        "address": hex_word(account.address),
        "rsp": hex_word(fault.sp),
        "own": own,
        "stack": [hex_word(stack.start), hex_word(stack.end)],
    }
    if own is False:
        which = _ELSEWHERE
    elif own:
        facts["size"] = size
        which = f"the thread's stack of {size >> 10} KiB"
        main = not isinstance(state.process, Absent) and fault.tid == state.process.pid
        if large and main:  # its stack grows, up to ulimit -s
            which = f"the thread's stack, of which {size >> 10} KiB are mapped"
    else:
        which = f"the stack that it ran on, in a mapping of {size >> 10} KiB"
    limit = _recursion_limit(state)
    if limit > DEFAULT_LIMIT:
        facts["recursion_limit"] = limit
    used_up = "was used up"
    needed = size
    if large:
        facts["large"] = True
        needed = end - fault.sp
        used_up = f"had less room left than one function needed ({needed >> 10} KiB in all)"
        if has_frame_of_variable_size(state.target, fault):
            facts["variable"] = True
            used_up = (
                f"had no room for {needed >> 10} KiB, most of which one function took at once, by "
                "a size that it computed (alloca(), an array of variable length)"
            )
    summary = f"{which}, {used_up}" if ", " in which else f"{which} {used_up}"
    if own and size < SMALL and needed < USUAL and "variable" not in facts:
        facts["usual_size"] = USUAL
        summary += f"; {USUAL >> 20} MiB are usual"
        python_ends_it = 0 < limit <= DEFAULT_LIMIT and not _recurses_in_library(state, fault)
        if large or python_ends_it:
            facts[DOUBT] = SMALL_STACK
            enough = "which would have been enough" if large else (
                "with which Python itself would have ended a recursion"
            )  # fmt: skip
            summary += f", {enough}: somebody made it small (threading.stack_size(), ulimit -s)"
    subject, details = f"thread {fault.tid}", f"the access is {place.distance} bytes past its end"
    yield plain_finding("stack_overflow", subject, facts, summary, details)


def _did_caller_run_on_stack(state: ProcessState, fault: Fault, stack: ThreadStack) -> bool:
    """Whether a caller of what failed ran on a stack, with no signal handler between."""
    frames = state.target.native_frames(fault.tid)
    for frame in () if isinstance(frames, Absent) else frames:
        if frame.kind == "signal":
            return False
        if stack.start <= frame.sp < stack.end:
            return fault.sp < stack.start
    return False


def _recurses_in_library(state: ProcessState, fault: Fault) -> bool:
    """Whether most calls are of native code that neither Python nor its limit of calls counts."""
    frames = state.target.native_frames(fault.tid)
    if isinstance(frames, Absent):
        return True  # not known
    own = sum(is_own_library(frame.module or "") for frame in frames)
    return own > len(frames) // 2


def _recursion_limit(state: ProcessState) -> int:
    """Return the limit of sys.setrecursionlimit(), at which Python raises RecursionError.

    0 when it cannot be read. Reference: Py_SetRecursionLimit() in Python/ceval.c, which keeps it in
    the interpreter (`py_recursion_limit` since 3.12), in 3.8 in the runtime.
    """
    python = state.python
    if isinstance(python, Absent) or not python.interpreters:
        return 0
    paths, base = ("py_recursion_limit", "ceval.recursion_limit"), python.interpreters[0].address
    offset = python.layout.offset("PyInterpreterState", *paths)
    if offset is None:
        offset, base = python.layout.offset("_PyRuntimeState", *paths), python.runtime
    raw = read_up_to(state.target, base + offset, 4) if offset is not None else b""
    return int.from_bytes(raw, "little") if len(raw) == 4 else 0
