# SPDX-License-Identifier: Apache-2.0
"""The fault behind a crash: signal, address and registers of the instruction that failed.

A handler (faulthandler, abseil, torch) that re-raises hides the fault: the core is taken inside
raise() with SI_TKILL. The truth then lies in the signal frame that the kernel pushed, which
`interrupted_context` finds on the stack without an unwinder.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from gdb_epi.errors import NOT_APPLICABLE, Absent, UnreadableMemory
from gdb_epi.fault.signals import (
    BUS_ADRERR,
    DIVIDE_ERROR,
    FATAL,
    FPE_INTDIV,
    ILL_ILLOPN,
    INVALID_OPCODE,
    PAGE_FAULT,
    PROTECTION_FAULT,
    SEGV_ACCERR,
    SEGV_MAPERR,
    SI_KERNEL,
    SI_TIMER,
    SIGABRT,
    SIGBUS,
    SIGFPE,
    SIGILL,
    SIGSEGV,
    STACK_FAULT,
)
from gdb_epi.target.api import CrashInfo, ProcessInfo, Target
from gdb_epi.typing_lite import NamedTuple

GENERAL = (
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
)  # fmt: skip

# struct rt_sigframe of the kernel (arch/x86/include/asm/sigframe.h): uc_flags, uc_link, uc_stack,
# then 23 words of sigcontext; the siginfo follows the 304 bytes of the kernel's ucontext.
_CONTEXT = (
    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx",
    "rdx", "rax", "rcx", "rsp", "rip", "eflags", "segments", "error", "trapno", "oldmask", "cr2",
)  # fmt: skip
_CONTEXT_OFFSET = 40
_SEGMENTS_OFFSET = _CONTEXT_OFFSET + 8 * _CONTEXT.index("segments")
_SIGINFO_OFFSET = 304
_USER_SEGMENTS = struct.pack("<HHHH", 0x33, 0, 0, 0x2B)  # cs, gs, fs, ss of 64-bit user code
_SYSCALL = b"\x0f\x05"
MAX_STACK_SCAN = 1 << 20  # bytes above rsp searched for a signal frame
MAX_SIGNAL_FRAMES = 64
MAX_SIGNAL = 64  # the number of the last real-time signal


class Fault(NamedTuple):
    """What failed, where.

    `origin` is "core" (the notes) or "signal-frame" (a handler re-raised it; the values are the
    interrupted context's). `sender` is "kernel", "self", "other" or "unknown". `address` is the
    faulting address as the kernel reported it, None when it reported none. `error` and `trap` are
    the CPU's error code and trap number, which only a signal frame holds; None otherwise.
    """

    tid: int
    signo: int
    code: int | None
    address: int | None
    registers: Mapping[str, int]
    origin: str
    sender: str
    error: int | None = None
    trap: int | None = None

    @property
    def pc(self) -> int:
        """Return the address of the instruction."""
        return self.registers.get("rip", 0)

    @property
    def sp(self) -> int:
        """Return the stack pointer."""
        return self.registers.get("rsp", 0)

    @property
    def is_hardware_trap(self) -> bool:
        """Whether the kernel raised it for this instruction (not kill, raise, abort or a limit)."""
        return self.sender == "kernel" and self.signo in FATAL


def find_fault(target: Target, crash: CrashInfo | Absent) -> Fault | Absent:
    """Return the fault; for a re-raised signal that of the signal frame on the stack.

    Absent for a snapshot: nothing failed.
    """
    if isinstance(crash, Absent):
        return Absent(NOT_APPLICABLE, f"no signal: {crash.detail}")
    thread = next((t for t in target.threads() if t.tid == crash.tid), None)
    registers = thread.registers if thread is not None else {}
    sender = _sender(crash, target.process())
    outer = Fault(
        tid=crash.tid,
        signo=crash.signo,
        code=crash.si_code,
        address=crash.fault_address,
        registers=registers,
        origin="core",
        sender=sender,
    )
    if sender != "self":
        return outer
    return interrupted_context(target, outer) or returned_context(target, outer) or outer


def _sender(crash: CrashInfo, process: ProcessInfo | Absent) -> str:
    if crash.si_code is None:
        return "unknown"
    if crash.si_code > 0:
        return "kernel"
    if crash.si_code == SI_TIMER:  # a timer is the process' own; its number is no pid
        return "self"
    if crash.sender_pid is None or isinstance(process, Absent):
        return "unknown"
    return "self" if crash.sender_pid == process.pid else "other"


def interrupted_context(target: Target, outer: Fault) -> Fault | None:
    """Return the innermost fault of the kernel whose signal frame lies on the stack of `outer`.

    Recognised by the segment registers' word of user code and a consistent siginfo; only bytes
    dumped in the core count.
    """
    region = target.region_at(outer.sp)
    if region is None:
        return None
    end = min(region.end, region.start + region.dumped, outer.sp + MAX_STACK_SCAN)
    if end <= outer.sp:
        return None
    try:
        stack = target.read(outer.sp, end - outer.sp)
    except UnreadableMemory:
        return None
    at = stack.find(_USER_SEGMENTS)
    for _ in range(MAX_SIGNAL_FRAMES):
        if at < 0:
            return None
        fault = _context_at(target, stack, at - _SEGMENTS_OFFSET, outer)
        if fault is not None:
            return fault
        at = stack.find(_USER_SEGMENTS, at + 1)
    return None


def returned_context(target: Target, outer: Fault) -> Fault | None:
    """Return the fault of a handler that set the default action, raised the signal and returned.

    The signal is blocked while the handler runs, so it kills when the handler returns: with the
    registers of the fault, but the siginfo of raise(). The signal frame has been popped and is
    still there, below rsp or on an alternate stack: its saved rip and rsp are the registers'.
    """
    from gdb_epi.target.search import find_word

    if _is_in_raise(target, outer.pc):
        return None
    rip_at = _CONTEXT_OFFSET + 8 * _CONTEXT.index("rip")
    for place in find_word(target, outer.pc, limit=MAX_SIGNAL_FRAMES).addresses:
        start = place - rip_at
        try:
            data = target.read(start, _SIGINFO_OFFSET + 24)
        except UnreadableMemory:
            continue
        if data[_SEGMENTS_OFFSET : _SEGMENTS_OFFSET + 8] != _USER_SEGMENTS:
            continue
        fault = _context_at(target, data, 0, outer)
        if fault is not None and (fault.pc, fault.sp) == (outer.pc, outer.sp):
            return fault
    return None


def _is_in_raise(target: Target, pc: int) -> bool:
    """Whether a thread stands behind a system call: raise() and abort() have not come back.

    Then all memory need not be searched, which takes a second per GB.
    """
    try:
        return target.read(pc - len(_SYSCALL), len(_SYSCALL)) == _SYSCALL
    except UnreadableMemory:
        return False


def _context_at(target: Target, stack: bytes, start: int, outer: Fault) -> Fault | None:
    if start < 0 or start + _SIGINFO_OFFSET + 24 > len(stack):
        return None
    words = struct.unpack_from(f"<{len(_CONTEXT)}Q", stack, start + _CONTEXT_OFFSET)
    context = dict(zip(_CONTEXT, words, strict=True))
    signo, _, code, _, address = struct.unpack_from("<iiiiQ", stack, start + _SIGINFO_OFFSET)
    if not 0 < signo <= MAX_SIGNAL:
        # A handler without SA_SIGINFO (faulthandler's): the kernel wrote none, the words are stale.
        signo, code, address = _by_trap(context, outer.signo)
    elif signo not in FATAL and _is_page_fault(target, context):
        # The same, and the words that are stale look like a siginfo.
        signo, code, address = _by_trap(context, outer.signo)
    if signo not in FATAL or not 0 < code <= SI_KERNEL or context["trapno"] > 32:
        return None
    registers = {name: value for name, value in context.items() if name in GENERAL}
    registers["rip"] = context["rip"]
    for name in ("fs_base", "gs_base"):
        if name in outer.registers:
            registers[name] = outer.registers[name]
    error, trap = context["error"], context["trapno"]
    return Fault(
        tid=outer.tid,
        signo=signo,
        code=code,
        address=address,
        registers=registers,
        origin="signal-frame",
        sender="kernel",
        error=error,
        trap=trap,
    )


def _is_page_fault(target: Target, context: Mapping[str, int]) -> bool:
    """Whether the instruction that a context stands at accesses the address of its page fault.

    The address of an older fault is left in the contexts of later signals, which stand elsewhere.
    """
    from gdb_epi.fault.reads import read_up_to
    from gdb_epi.x86 import MAX_LENGTH, decode

    if context["trapno"] != PAGE_FAULT:
        return False
    instruction = decode(read_up_to(target, context["rip"], MAX_LENGTH))
    if instruction is None:
        return context["rip"] == context["cr2"]
    starts = ((operand.address(context), operand.size or 1) for operand in instruction.operands)
    return any(start is not None and 0 <= context["cr2"] - start < size for start, size in starts)


def _by_trap(context: Mapping[str, int], raised: int) -> tuple[int, int, int]:
    """Return signal, si_code and address by the trap number; (0, 0, 0) when it does not fit.

    The kernel writes no siginfo for a handler without SA_SIGINFO (faulthandler's). The trap number
    of an older fault may be left over, so it must belong to the signal that was raised again.
    """
    trap = context["trapno"]
    signal = (0, 0, 0)
    if trap == PAGE_FAULT and raised == SIGBUS:
        signal = (SIGBUS, BUS_ADRERR, context["cr2"])
    elif trap == PAGE_FAULT:
        code = SEGV_ACCERR if context["error"] & 1 else SEGV_MAPERR
        signal = (SIGSEGV, code, context["cr2"])
    elif trap == PROTECTION_FAULT:
        signal = (SIGSEGV, SI_KERNEL, 0)
    elif trap == STACK_FAULT:
        signal = (SIGBUS, SI_KERNEL, 0)
    elif trap == INVALID_OPCODE:
        signal = (SIGILL, ILL_ILLOPN, context["rip"])
    elif trap == DIVIDE_ERROR and raised == SIGFPE:
        signal = (SIGFPE, FPE_INTDIV, context["rip"])
    return signal if raised in (signal[0], SIGABRT) else (0, 0, 0)
