# SPDX-License-Identifier: Apache-2.0
"""The fault behind a crash: signal, address and registers of the instruction that failed.

A handler that re-raises (faulthandler, abseil, torch) hides the fault: the core is taken inside
raise() with SI_TKILL. The truth is then in the signal frame that the kernel pushed, which
`innermost_fault_in_signal_frame` finds on the stack without an unwinder.

What an aarch64 CPU told the kernel about a fault: ESR_EL1, which signal frames hold.

It is used where there is no siginfo: a handler without SA_SIGINFO (faulthandler's) gets none.
Reference: Arm ARM, ESR_EL1; linux arch/arm64/kernel/signal.c (setup_sigframe: the record follows
that of the FPU, where the thread has had a fault), arch/arm64/mm/fault.c.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence

from gdb_epi.errors import NOT_APPLICABLE, Absent
from gdb_epi.fault import signals
from gdb_epi.fault.memory_reads import read_up_to, try_read
from gdb_epi.fault.signal_sender import may_have_sent_signal_itself, registers_before_handler
from gdb_epi.fault.signals import (
    BUS_ADRALN,
    BUS_OBJERR,
    FATAL,
    ILL_ILLOPC,
    SEGV_ACCERR,
    SEGV_MAPERR,
    SI_KERNEL,
    SIGABRT,
    SIGBUS,
    SIGILL,
    SIGSEGV,
)
from gdb_epi.machine import X86_64, Architecture
from gdb_epi.machine.aarch64 import AARCH64
from gdb_epi.machine.architecture import SignalFrameLayout
from gdb_epi.sizes import ADDRESS_BITS
from gdb_epi.target.api import CrashInfo, ProcessInfo, Target, Thread
from gdb_epi.target.derived_registers import NO_CALL, follows_system_call
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MAX_LENGTH, decode

GENERAL = X86_64.general

MAX_STACK_SCAN = 1 << 20  # bytes above rsp searched for a signal frame
MAX_SIGNAL_FRAMES = 64
MAX_TRAP = 32  # numbers of the CPU's exceptions
# What the kernel says of an access alone; no system call ends in one of them (it gives EFAULT).
_OF_ACCESSES = ((SIGSEGV, SEGV_MAPERR), (SIGSEGV, SEGV_ACCERR), (SIGBUS, BUS_ADRALN))
KERNEL, SELF, PROCESS, OTHER = "kernel", "self", "process", "other"  # who sent a signal
ELSEWHERE, UNKNOWN = "elsewhere", "unknown"
_RECORD = struct.Struct("<IIQ")
_ESR_MAGIC = 0x45535201
_UNKNOWN, _FETCH_ABORT, _DATA_ABORT = 0x00, 0x20, 0x24  # exception classes, from user code
_ALIGNMENT = 0x21  # the status of an abort
_EXTERNAL = range(0x10, 0x20)
_WRITE = 1 << 6
ERROR_WRITE, ERROR_FETCH = 2, 16  # as an x86 page fault's error code has them


class Fault(NamedTuple):
    """The signal of a thread that failed: who sent it, its si_code and address, the registers.

    `origin` is "core" (the notes) or "signal-frame" (a handler re-raised it; the values are the
    interrupted context's). `sender` is KERNEL, SELF (the thread that died), PROCESS (another thread
    of this process, or a handler that has returned), OTHER (another process), ELSEWHERE (not this
    thread; a handler raised the signal again, and its first sender is lost) or UNKNOWN. `address`
    is the faulting address as the kernel reported it, None when it reported none. `error` and
    `trap` are the error code of an x86 page fault (those of other machines are translated to its
    bits) and the trap number, which only a signal frame holds.
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
    architecture: Architecture = X86_64

    @property
    def pc(self) -> int:
        """Return the address of the instruction."""
        return self.registers.get(self.architecture.pc, 0)

    @property
    def sp(self) -> int:
        """Return the stack pointer."""
        return self.registers.get(self.architecture.sp, 0)

    @property
    def is_hardware_trap(self) -> bool:
        """Whether the kernel raised it for this instruction (not kill, raise, abort or a limit)."""
        return self.sender == KERNEL and self.signo in signals.FATAL


def find_fault(target: Target, crash: CrashInfo | Absent) -> Fault | Absent:
    """Return the fault; for a re-raised signal, that in the signal frame on the stack.

    Absent for a snapshot: nothing failed.
    """
    if isinstance(crash, Absent):
        return Absent(NOT_APPLICABLE, f"no signal: {crash.detail}")
    thread = next((t for t in target.threads() if t.tid == crash.tid), None)
    registers = thread.registers if thread is not None else {}
    sender = _sender_of_signal(crash, target.process())
    if sender == KERNEL and (crash.signo, crash.si_code) in _OF_ACCESSES and thread is not None:
        fetched = crash.fault_address == thread.pc  # the call took its own code away
        sender = SELF if not fetched and _was_leaving_system_call(target, thread) else KERNEL
    outer = Fault(
        tid=crash.tid,
        signo=crash.signo,
        code=crash.si_code,
        address=crash.fault_address,
        registers=registers,
        origin="core",
        sender=sender,
        architecture=X86_64 if thread is None else thread.architecture,
    )
    if sender != SELF:
        return outer
    behind = innermost_fault_in_signal_frame(target, outer) or fault_of_left_handler(target, outer)
    if behind is not None or crash.si_code == signals.SI_TIMER:
        return behind or outer
    if thread is not None and not may_have_sent_signal_itself(thread):
        return outer._replace(sender=PROCESS)
    return _fault_in_frame_of_reraised_signal(target, outer) or outer


def _was_leaving_system_call(target: Target, thread: Thread) -> bool:
    """Tell whether a thread was on its way out of a system call, at an instruction without access.

    rt_tgsigqueueinfo(2) lets a thread send itself a signal with any siginfo, as handlers do that
    raise a fault again. syscall leaves the address behind it in rcx (Intel SDM, SYSCALL).
    """
    pc, machine = thread.pc, thread.architecture
    if thread.registers.get("rcx") != pc or not follows_system_call(target, machine, pc):
        return False
    instruction = decode(read_up_to(target, pc, MAX_LENGTH))
    return instruction is not None and not instruction.operands


def _sender_of_signal(crash: CrashInfo, process: ProcessInfo | Absent) -> str:
    if crash.si_code is None:
        return UNKNOWN
    if crash.si_code > 0:
        return KERNEL
    if crash.si_code == signals.SI_TIMER:  # a timer belongs to the process; its number is not a pid
        return SELF
    if crash.sender_pid is None or isinstance(process, Absent):
        return UNKNOWN
    return SELF if crash.sender_pid == process.pid else OTHER


def _fault_in_frame_of_reraised_signal(target: Target, outer: Fault) -> Fault | None:
    """Return what a thread was doing when a signal came that its handler raised again.

    None where the innermost signal frame on its stack belongs to another signal, or to one that the
    thread may have sent itself. A handler without SA_SIGINFO has no siginfo, only zeros.
    """
    siginfo_at = outer.architecture.signal_frame.siginfo_at
    for stack, start, context in _possible_signal_frames(target, outer):
        code = target.region_at(context[outer.architecture.pc])
        if context.get("trapno", 0) > MAX_TRAP or code is None or "x" not in code.perms:
            continue
        siginfo = _siginfo_at(stack, start + siginfo_at)
        if siginfo is not None and siginfo[1] <= signals.SI_KERNEL:
            signo, si_code, _ = siginfo
            if signo != outer.signo or si_code > 0:
                return None
        registers = registers_before_handler(
            target, _context_and_thread_registers(context, outer), outer.architecture
        )
        if registers is None:
            return None
        return outer._replace(
            code=None, registers=registers, origin="signal-frame", sender=ELSEWHERE
        )
    return None


def innermost_fault_in_signal_frame(target: Target, outer: Fault) -> Fault | None:
    """Return the innermost fault of the kernel whose signal frame is on the stack of `outer`."""
    return next(faults_in_signal_frames(target, outer), None)


def faults_in_signal_frames(target: Target, outer: Fault) -> Iterator[Fault]:
    """Yield the faults of the kernel whose signal frames are on the stack, the innermost first.

    A frame is recognised by bytes that all frames have (on x86-64 the word of user code's segment
    registers) and by a consistent siginfo; only bytes dumped in the core count.
    """
    for stack, start, _ in _possible_signal_frames(target, outer):
        fault = _signal_frame_fault(target, stack, start, outer)
        if fault is not None:
            yield fault


def thread_before_each_handler(target: Target, thread: Thread) -> Iterator[Thread]:
    """Yield a thread as it was when each signal handler on its stack began, innermost first.

    A frame left by an earlier handler in an unused part of the stack looks the same.
    """
    outer = Fault(
        thread.tid, 0, None, None, thread.registers, "core", UNKNOWN,
        architecture=thread.architecture,
    )  # fmt: skip
    for _stack, start, context in _possible_signal_frames(target, outer):
        met = thread._replace(registers=_context_and_thread_registers(context, outer))
        code, stack = target.region_at(met.pc), target.region_at(met.sp)
        in_code = code is not None and "x" in code.perms
        if in_code and stack is not None and "w" in stack.perms and met.sp != outer.sp + start:
            yield met


def _possible_signal_frames(
    target: Target, outer: Fault
) -> Iterator[tuple[bytes, int, dict[str, int]]]:
    """Yield possible signal frames on a stack: its bytes, where each begins, the registers."""
    region = target.region_at(outer.sp)
    if region is None:
        return
    end = min(region.end, region.start + region.dumped, outer.sp + MAX_STACK_SCAN)
    stack = try_read(target, outer.sp, end - outer.sp) if end > outer.sp else b""
    frame = outer.architecture.signal_frame
    at = stack.find(frame.marker)
    for _ in range(MAX_SIGNAL_FRAMES):
        if at < 0:
            return
        start = at - frame.marker_at
        if start >= 0 and start + frame.size <= len(stack):
            yield stack, start, _registers_in_signal_frame(stack, start, frame)
        at = stack.find(frame.marker, at + 1)


def _registers_in_signal_frame(
    saved: bytes, start: int, frame: SignalFrameLayout
) -> dict[str, int]:
    values = struct.unpack_from(f"<{len(frame.words)}Q", saved, start + frame.words_at)
    return dict(zip(frame.words, values, strict=True))


def fault_of_left_handler(target: Target, outer: Fault) -> Fault | None:
    """Return the fault of a handler that set the default action, raised the signal and returned.

    The signal is blocked while the handler runs, so it kills when the handler returns, with the
    registers of the fault but the siginfo of raise(). The signal frame was popped but is still
    there, below rsp or on an alternate stack: its saved rip and rsp equal the registers.
    """
    from gdb_epi.target.memory_search import find_word

    # raise() and abort() have not returned, so all memory, which takes a second per GB, need not be
    # searched.
    if follows_system_call(target, outer.architecture, outer.pc):
        return None
    frame = outer.architecture.signal_frame
    pc_at = frame.words_at + 8 * frame.words.index(outer.architecture.pc)
    for place in find_word(target, outer.pc, limit=MAX_SIGNAL_FRAMES).addresses:
        saved = try_read(target, place - pc_at, frame.size)
        if saved[frame.marker_at : frame.marker_at + len(frame.marker)] != frame.marker:
            continue
        fault = _signal_frame_fault(target, saved, 0, outer)
        if fault is not None and (fault.pc, fault.sp) == (outer.pc, outer.sp):
            return fault
    return None


def _signal_frame_fault(target: Target, stack: bytes, start: int, outer: Fault) -> Fault | None:
    frame = outer.architecture.signal_frame
    if start < 0 or start + frame.size > len(stack):
        return None
    context = _registers_in_signal_frame(stack, start, frame)
    siginfo = _siginfo_at(stack, start + frame.siginfo_at)
    # For a handler without SA_SIGINFO (faulthandler's) the kernel wrote no siginfo: the words are
    # stale and may look like one. Then the trap must be that of the instruction.
    stale = siginfo is None
    signo, code, address = siginfo or (0, 0, 0)
    error, trap = context.get("error"), context.get("trapno")
    if trap is None:
        syndrome = syndrome_of_signal_frame(
            stack[start : start + frame.size], context["fault_address"]
        )
        error = None if syndrome is None else syndrome.x86_error_code
        if syndrome is not None and (stale or not syndrome.fits_siginfo(signo, code, address)):
            mapped = target.region_at(syndrome.address) is not None
            signo, code, address = syndrome.siginfo_for(outer.signo, mapped)
        elif stale:
            return None
    elif stale or not _does_siginfo_fit_trap(context, signo, code, address):
        if not stale and not _can_have_trapped(target, context):
            return None
        signo, code, address = _siginfo_by_trap_number(context, outer.signo)
    if signo not in signals.FATAL or not 0 < code <= signals.SI_KERNEL or (trap or 0) > MAX_TRAP:
        return None
    return outer._replace(
        signo=signo,
        code=code,
        address=address,
        registers=_context_and_thread_registers(context, outer),
        origin="signal-frame",
        sender=KERNEL,
        error=error,
        trap=trap,
    )


def threads_before_signal_reraised(
    threads: Sequence[Thread], fault: Fault | Absent
) -> Sequence[Thread]:
    """Return the threads; the one that died as it was before its handler raised the signal again.

    All others are as in the core, and so is that one if no handler ran.
    """
    if isinstance(fault, Absent) or fault.sender != ELSEWHERE:
        return threads
    before = {fault.architecture.call: NO_CALL, **fault.registers}
    return [
        t._replace(registers={**t.registers, **before}) if t.tid == fault.tid else t
        for t in threads
    ]


def _context_and_thread_registers(context: Mapping[str, int], outer: Fault) -> dict[str, int]:
    """Return the registers of a context, plus those of the thread that no context holds."""
    machine = outer.architecture
    names = (*machine.general, machine.pc)
    registers = {name: context[name] for name in names if name in context}
    for name in (machine.thread_pointer, machine.ident, "gs_base"):
        if name in outer.registers:
            registers[name] = outer.registers[name]
    return registers


def _siginfo_at(stack: bytes, at: int) -> tuple[int, int, int] | None:
    """Return si_signo, si_code and si_addr; None for words that cannot be a siginfo.

    The kernel sets si_errno for SIGTRAP and SIGSYS alone (kernel/signal.c).
    """
    signo, errno, code, _, address = struct.unpack_from("<iiiiQ", stack, at)
    if not 0 < signo <= signals.MAX_SIGNAL or (
        errno and signo not in (signals.SIGTRAP, signals.SIGSYS)
    ):
        return None
    return signo, code, address


def _does_siginfo_fit_trap(context: Mapping[str, int], signo: int, code: int, address: int) -> bool:
    """Tell whether a siginfo can be the one that the kernel wrote for the trap of a context.

    For a page fault it is SIGSEGV with its address, or SIGBUS (arch/x86/mm/fault.c). Words left on
    the stack by other functions sometimes look like a siginfo; few of them also fit the trap.
    """
    trap = context["trapno"]
    if code == signals.SI_KERNEL:
        return trap in signals.TRAPS_WITHOUT_CODE.get(signo, ())
    # The kernel sends these after the trap.
    if signo == signals.SIGBUS and code in (signals.BUS_MCEERR_AR, signals.BUS_MCEERR_AO):
        return True
    if not 0 < code < signals.SI_KERNEL or trap not in signals.TRAPS_OF.get(signo, ()):
        return False
    return trap != signals.PAGE_FAULT or signo == signals.SIGBUS or address == context["cr2"]


def _can_have_trapped(target: Target, context: Mapping[str, int]) -> bool:
    """Tell whether the instruction at a context's pc can have caused its trap.

    It accesses the address of the page fault, or an address that no pointer can have. The number
    and address of an older trap stay in the contexts of later signals, whose pc is elsewhere.
    """
    from gdb_epi.x86 import MAX_LENGTH, decode

    if context["trapno"] not in (signals.PAGE_FAULT, signals.PROTECTION_FAULT):
        return False
    page_fault = context["trapno"] == signals.PAGE_FAULT
    instruction = decode(read_up_to(target, context["rip"], MAX_LENGTH))
    if instruction is None:
        return page_fault and context["rip"] == context["cr2"]
    for operand in instruction.operands:
        start = operand.address(context)
        if start is None:
            continue
        if page_fault and 0 <= context["cr2"] - start < (operand.size or 1):
            return True
        # The bits above are all 0, or all 1 in the kernel's half.
        if not page_fault and start >> ADDRESS_BITS not in (0, (1 << 64 - ADDRESS_BITS) - 1):
            return True
    return False


def _siginfo_by_trap_number(context: Mapping[str, int], raised: int) -> tuple[int, int, int]:
    """Return signal, si_code and address from the trap number; (0, 0, 0) when it does not fit.

    The kernel writes no siginfo for a handler without SA_SIGINFO (faulthandler's). The trap number
    of an older fault may be left over, so it must belong to the signal that was raised again.
    """
    trap = context["trapno"]
    signal = (0, 0, 0)
    if trap == signals.PAGE_FAULT and raised == signals.SIGBUS:
        signal = (signals.SIGBUS, signals.BUS_ADRERR, context["cr2"])
    elif trap == signals.PAGE_FAULT:
        code = signals.SEGV_ACCERR if context["error"] & 1 else signals.SEGV_MAPERR
        signal = (signals.SIGSEGV, code, context["cr2"])
    elif trap == signals.PROTECTION_FAULT:
        signal = (signals.SIGSEGV, signals.SI_KERNEL, 0)
    elif trap == signals.STACK_FAULT:
        signal = (signals.SIGBUS, signals.SI_KERNEL, 0)
    elif trap == signals.INVALID_OPCODE:
        signal = (signals.SIGILL, signals.ILL_ILLOPN, context["rip"])
    elif trap == signals.DIVIDE_ERROR and raised == signals.SIGFPE:
        signal = (signals.SIGFPE, signals.FPE_INTDIV, context["rip"])
    return signal if raised in (signal[0], signals.SIGABRT) else (0, 0, 0)


class Aarch64Syndrome(NamedTuple):
    """aarch64's ESR_EL1 of a signal frame (`value`), and the address of the fault there."""

    value: int
    address: int

    @property
    def _exception_class(self) -> int:
        return self.value >> 26 & 0x3F

    @property
    def x86_error_code(self) -> int | None:
        """The access in the bits of an x86 error code; None when it was no abort."""
        if self._exception_class == _FETCH_ABORT:
            return ERROR_FETCH
        if self._exception_class != _DATA_ABORT:
            return None
        return ERROR_WRITE if self.value & _WRITE else 0

    def fits_siginfo(self, signo: int, code: int, address: int) -> bool:
        """Tell whether a siginfo can be the one that the kernel wrote for it."""
        if signo not in FATAL or not 0 < code <= SI_KERNEL:
            return False
        return self.x86_error_code is None or signo == SIGBUS or address == self.address

    def siginfo_for(self, raised: int, mapped: bool) -> tuple[int, int, int]:
        """Return signal, si_code and address; (0, 0, 0) when it is not the signal `raised`.

        `mapped`: something is mapped at the address. The register of an older fault may be left.
        """
        signal = (0, 0, 0)
        status = self.value & 0x3F
        if self.x86_error_code is None:
            signal = (
                (SIGILL, ILL_ILLOPC, self.address) if self._exception_class == _UNKNOWN else signal
            )
        elif status == _ALIGNMENT:
            signal = (SIGBUS, BUS_ADRALN, self.address)
        elif status in _EXTERNAL:
            signal = (SIGBUS, BUS_OBJERR, self.address)
        else:
            signal = (SIGSEGV, SEGV_ACCERR if mapped else SEGV_MAPERR, self.address)
        return signal if raised in (signal[0], SIGABRT) else (0, 0, 0)


def syndrome_of_signal_frame(frame: bytes, address: int) -> Aarch64Syndrome | None:
    """Return the syndrome of a whole signal frame; None when the thread never had a fault."""
    at = AARCH64.signal_frame.size - _RECORD.size
    magic, size, value = _RECORD.unpack_from(frame, at)
    return Aarch64Syndrome(value, address) if (magic, size) == (_ESR_MAGIC, _RECORD.size) else None
