# SPDX-License-Identifier: Apache-2.0
"""What the registers of a sleeping thread say of its system call: descriptor, direction, time.

Arguments are in rdi, rsi, rdx, r10, r8, r9 (x86-64 ABI, kernel side). Numbers:
arch/x86/entry/syscalls/syscall_64.tbl.
"""

from __future__ import annotations

from gdb_epi.fault.reads import read_u32, read_up_to
from gdb_epi.hangs import types as h
from gdb_epi.locks.waits.activity import SYSCALL
from gdb_epi.target.api import Target, Thread
from gdb_epi.typing_lite import NamedTuple

_READS = {0: "read", 17: "pread64", 19: "readv", 45: "recvfrom", 47: "recvmsg"}
_WRITES = {1: "write", 18: "pwrite64", 20: "writev", 40: "sendfile", 44: "sendto", 46: "sendmsg"}
_ACCEPTS = {43: "accept", 288: "accept4"}
_POLLS = {7: "poll", 271: "ppoll"}
_SELECTS = {23: "select", 270: "pselect6"}
_EPOLLS = {232: "epoll_wait", 281: "epoll_pwait", 441: "epoll_pwait2"}
_SLEEPS = {35: "nanosleep", 230: "clock_nanosleep", 219: "restart_syscall"}
_SIGNALS = {34: "pause", 128: "rt_sigtimedwait", 130: "rt_sigsuspend"}
_CHILDREN = {61: "wait4", 247: "waitid"}
_OPENS = {2: "open", 257: "openat"}
FLOCK, FCNTL, CONNECT, FSYNC = 73, 72, 42, 74
FUTEX = 202
F_SETLKW, F_OFD_SETLKW = 7, 38
POLLIN, POLLOUT = 1, 4
P_PID, P_PIDFD = 1, 3
MAX_SELECT = 1024


class SystemCall(NamedTuple):
    """One sleeping call: its kind (hangs/types.py), its name, descriptor or child, its time."""

    kind: str
    name: str
    fd: int | None = None
    child: int | None = None
    timed: bool = False
    fds: tuple[int, ...] = ()  # of poll and select


def system_call(target: Target, thread: Thread) -> SystemCall | None:
    """Return the call that a thread sleeps in; None when it runs or its registers are not there."""
    registers = thread.registers
    number = registers.get("orig_rax")
    if number is None or number >> 63 or "rip" not in registers:
        return None
    before = read_up_to(target, registers["rip"] - 2, 2)
    if len(before) == 2 and before != SYSCALL:
        return None
    first = registers.get("rdi", 0) & 0xFFFFFFFF
    fd = first if first < 1 << 31 else None
    for kind, names in ((h.READ, _READS), (h.WRITE, _WRITES), (h.ACCEPT, _ACCEPTS)):
        if number in names:
            return SystemCall(kind, names[number], fd)
    if number in _SLEEPS:
        return SystemCall(h.SLEEP, _SLEEPS[number], timed=True)
    if number in _SIGNALS:
        timed = number == 128 and bool(registers.get("rdx", 0))
        return SystemCall(h.SIGNAL, _SIGNALS[number], timed=timed)
    if number in _CHILDREN:
        return _child(number, registers.get("rdi", 0), registers.get("rsi", 0))
    if number == FLOCK or (number == FCNTL and registers.get("rsi") in (F_SETLKW, F_OFD_SETLKW)):
        return SystemCall(h.FILE_LOCK, "flock" if number == FLOCK else "fcntl(F_SETLKW)", fd)
    if number in _EPOLLS:
        wait = registers.get("r10", 0)
        timed = bool(wait) if number == 441 else wait & 0xFFFFFFFF < 1 << 31
        return SystemCall(h.POLL, _EPOLLS[number], fd, timed=timed)
    if number in _POLLS:
        return _poll(target, number, thread)
    if number in _SELECTS:
        return _select(target, number, thread)
    if number in _OPENS:
        return SystemCall(h.READ, _OPENS[number])
    if number == CONNECT:
        return SystemCall(h.WRITE, "connect", fd)
    if number == FUTEX:
        return SystemCall(h.LOCK, "futex", timed=bool(registers.get("r10", 0)))
    return SystemCall(h.OTHER, "fsync" if number == FSYNC else f"system call {number}", fd)


def _child(number: int, first: int, second: int) -> SystemCall:
    """Return wait4(pid, ...) or waitid(type, id, ...); a child of -1 is any."""
    kind, pid = (first & 0xFFFFFFFF, second) if number == 247 else (P_PID, first)
    signed = pid & 0xFFFFFFFF
    child = signed if kind == P_PID and 0 < signed < 1 << 31 else None
    return SystemCall(h.CHILD, _CHILDREN[number], child=child)


def _poll(target: Target, number: int, thread: Thread) -> SystemCall:
    """Return poll(): the first descriptor tells the direction where it is the only one."""
    registers = thread.registers
    wait = registers.get("rdx", 0)
    timed = bool(wait) if number == 271 else wait & 0xFFFFFFFF < 1 << 31
    count = min(registers.get("rsi", 0), MAX_SELECT)
    fds, wanted = [], 0
    for place in range(count):
        fd = read_u32(target, registers.get("rdi", 0) + 8 * place)
        events = read_u32(target, registers.get("rdi", 0) + 8 * place + 4)
        if fd is None or events is None:
            break
        fds.append(fd)
        wanted |= events & 0xFFFF
    kind = h.POLL
    if len(fds) == 1:
        kind = h.WRITE if wanted & POLLOUT and not wanted & POLLIN else h.READ
    fd_only = fds[0] if len(fds) == 1 else None
    return SystemCall(kind, _POLLS[number], fd_only, timed=timed, fds=tuple(fds))


def _select(target: Target, number: int, thread: Thread) -> SystemCall:
    registers = thread.registers
    count = min(registers.get("rdi", 0), MAX_SELECT)
    fds = []
    for name in ("rsi", "rdx"):
        start = registers.get(name, 0)
        data = read_up_to(target, start, (count + 7) // 8) if start else b""
        fds += [n for n in range(8 * len(data)) if data[n // 8] >> n % 8 & 1 and n < count]
    timed = bool(registers.get("r8", 0))
    if not fds and timed:
        return SystemCall(h.SLEEP, _SELECTS[number], timed=True)  # time.sleep() before 3.11
    return SystemCall(h.POLL, _SELECTS[number], timed=timed, fds=tuple(fds))
