# SPDX-License-Identifier: Apache-2.0
"""What a sleeping thread's registers tell about its system call: descriptor, direction, time."""

from __future__ import annotations

from gdb_epi.fault.memory_reads import read_u32, read_up_to
from gdb_epi.hangs import types as hang_types
from gdb_epi.sizes import HALF_MASK, WORD
from gdb_epi.target.api import Target, Thread
from gdb_epi.target.derived_registers import (
    FUTEX_MASK,
    FUTEX_WAITS,
    is_at_system_call,
    is_in_system_call,
)
from gdb_epi.typing_lite import NamedTuple

_READS = frozenset(("read", "readv", "recvfrom", "recvmsg"))
_WRITES = frozenset(("write", "writev", "sendfile", "sendto", "sendmsg"))
# Calls that no other process has to help with: on the process's own memory, and on files with an
# offset, which no pipe, socket or terminal has (pread(2): ESPIPE).
_NEEDS_NO_PEER = frozenset((
    "mmap", "munmap", "mremap", "mprotect", "madvise", "brk", "lseek", "pread64", "pwrite64",
    "preadv", "pwritev",
))  # fmt: skip
_SHOWN_BY_NAME = frozenset(("fsync", "fdatasync"))  # that are shown so
# Calls that return nothing by which to tell whether they had waited: close() of a socket with
# SO_LINGER waits for the other side.
MAY_LAST = frozenset(("close", "flock", "fsync", "fdatasync", "sync", "syncfs"))
_ACCEPTS = frozenset(("accept", "accept4"))
_POLLS = frozenset(("poll", "ppoll"))
_SELECTS = frozenset(("select", "pselect6"))
_EPOLLS = frozenset(("epoll_wait", "epoll_pwait", "epoll_pwait2"))
_SLEEPS = frozenset(("nanosleep", "clock_nanosleep", "restart_syscall"))
# The argument of a sleep that points to its time, a timespec or timeval.
_TIMES_OF_SLEEP = {"clock_nanosleep": 2, "nanosleep": 0, "pselect6": 4, "select": 4}
_SIGNALS = frozenset(("pause", "rt_sigtimedwait", "rt_sigsuspend"))
_CHILDREN = frozenset(("wait4", "waitid"))
_OPENS = frozenset(("open", "openat"))
# Semaphores and queues of System V and POSIX: kind, and the argument that is a timeout.
_QUEUES = {
    "semop": (hang_types.LOCK, None), "semtimedop": (hang_types.LOCK, 3),
    "msgrcv": (hang_types.READ, None),
    "msgsnd": (hang_types.WRITE, None), "mq_timedreceive": (hang_types.READ, 4),
    "mq_timedsend": (hang_types.WRITE, 4),
}  # fmt: skip
_TIMER_ABSTIME = 1
F_SETLKW, F_OFD_SETLKW = 7, 38
FCNTL_OF_PROCESS, FCNTL_OF_FILE = "fcntl(F_SETLKW)", "fcntl(F_OFD_SETLKW)"
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


def read_system_call(target: Target, thread: Thread) -> SystemCall | None:
    """Return the call that a thread sleeps in; None when it runs or its registers are not there."""
    machine = thread.architecture
    number = thread.registers.get(machine.call)
    if number is None or number >> 63 or machine.pc not in thread.registers:
        return None
    name = thread.system_call_name or ""
    if is_in_system_call(target, thread) is False and not _is_short_write(target, thread):
        return None
    first = thread.system_call_argument(0) & HALF_MASK
    fd = first if first < 1 << 31 else None
    directions = (
        (hang_types.READ, _READS),
        (hang_types.WRITE, _WRITES),
        (hang_types.ACCEPT, _ACCEPTS),
        (hang_types.WORK, _NEEDS_NO_PEER),
    )
    for kind, names in directions:
        if name in names:
            return SystemCall(kind, name, fd)
    if name in _SLEEPS:
        return SystemCall(hang_types.SLEEP, name, timed=True)
    if name in _SIGNALS:
        timed = name == "rt_sigtimedwait" and bool(thread.system_call_argument(2))
        return SystemCall(hang_types.SIGNAL, name, timed=timed)
    if name in _CHILDREN:
        return _read_child_wait(
            name, thread.system_call_argument(0), thread.system_call_argument(1)
        )
    if name == "fcntl":
        kinds = {F_SETLKW: FCNTL_OF_PROCESS, F_OFD_SETLKW: FCNTL_OF_FILE}
        name = kinds.get(thread.system_call_argument(1), name)
    if name in ("flock", FCNTL_OF_PROCESS, FCNTL_OF_FILE):
        return SystemCall(hang_types.FILE_LOCK, name, fd)
    if name in _EPOLLS:
        wait = thread.system_call_argument(3)
        timed = bool(wait) if name == "epoll_pwait2" else wait & HALF_MASK < 1 << 31
        return SystemCall(hang_types.POLL, name, fd, timed=timed)
    if name in _POLLS:
        return _read_poll(target, name, thread)
    if name in _SELECTS:
        return _read_select(target, name, thread)
    if name in _OPENS:
        return SystemCall(hang_types.READ, name)
    if name == "connect":
        return SystemCall(hang_types.WRITE, name, fd)
    if name in _QUEUES:
        kind, place = _QUEUES[name]
        timed = place is not None and bool(thread.system_call_argument(place))
        return SystemCall(kind, name, timed=timed)
    if name == "futex" and thread.system_call_argument(1) & FUTEX_MASK not in FUTEX_WAITS:
        return SystemCall(hang_types.WORK, name)  # it wakes others, as pthread_mutex_unlock() does
    if name == "futex":
        return SystemCall(hang_types.LOCK, name, timed=bool(thread.system_call_argument(3)))
    return SystemCall(
        hang_types.OTHER, name if name in _SHOWN_BY_NAME else f"system call {number}", fd
    )


def read_sleep_seconds(target: Target, thread: Thread) -> float:
    """Return for how long a thread was to sleep, in seconds; 0 where its registers do not tell.

    time.sleep() asks for a time of the monotonic clock, which counts from the machine's start
    (is_sleep_time_absolute()); what it slept already is in no register.
    """
    place = _TIMES_OF_SLEEP.get(thread.system_call_name or "")
    raw = (
        read_up_to(target, thread.system_call_argument(place), 2 * WORD)
        if place is not None
        else b""
    )
    if len(raw) < 2 * WORD:
        return 0.0
    whole, rest = (int.from_bytes(raw[at : at + WORD], "little", signed=True) for at in (0, WORD))
    unit = 1e-6 if thread.system_call_name == "select" else 1e-9
    return whole + (rest * unit if 0 <= rest * unit < 1 else 0.0)


def is_sleep_time_absolute(thread: Thread) -> bool:
    """Tell whether a sleep was given the time of its end: TIMER_ABSTIME, as by 3.11's sleep()."""
    return thread.system_call_name == "clock_nanosleep" and bool(
        thread.system_call_argument(1) & _TIMER_ABSTIME
    )


def _is_short_write(target: Target, thread: Thread) -> bool:
    """Tell whether a write that waited for room returned, for a signal, less than all.

    writev() and sendmsg() are not checked: lists of buffers are rarely written to a full pipe or
    socket.
    """
    if (
        thread.system_call_name not in ("write", "sendto")
        or is_at_system_call(target, thread) is False
    ):
        return False
    return 0 < thread.registers.get(thread.architecture.result, 0) < thread.system_call_argument(2)


def _read_child_wait(name: str, first: int, second: int) -> SystemCall:
    """Return wait4(pid, ...) or waitid(type, id, ...); a child of -1 is any."""
    kind, pid = (first & HALF_MASK, second) if name == "waitid" else (P_PID, first)
    signed = pid & HALF_MASK
    child = signed if kind == P_PID and 0 < signed < 1 << 31 else None
    return SystemCall(hang_types.CHILD, name, child=child)


def _read_poll(target: Target, name: str, thread: Thread) -> SystemCall:
    """Return poll(): the first descriptor tells the direction where it is the only one."""
    wait = thread.system_call_argument(2)
    timed = bool(wait) if name == "ppoll" else wait & HALF_MASK < 1 << 31
    fds, wanted = [], 0
    for place in range(min(thread.system_call_argument(1), MAX_SELECT)):
        fd = read_u32(target, thread.system_call_argument(0) + 8 * place)
        events = read_u32(target, thread.system_call_argument(0) + 8 * place + 4)
        if fd is None or events is None:
            break
        fds.append(fd)
        wanted |= events & 0xFFFF
    kind = hang_types.POLL
    if len(fds) == 1:
        kind = hang_types.WRITE if wanted & POLLOUT and not wanted & POLLIN else hang_types.READ
    fd_only = fds[0] if len(fds) == 1 else None
    return SystemCall(kind, name, fd_only, timed=timed, fds=tuple(fds))


def _read_select(target: Target, name: str, thread: Thread) -> SystemCall:
    count = min(thread.system_call_argument(0), MAX_SELECT)
    fds = []
    for start in map(thread.system_call_argument, (1, 2, 3)):
        descriptor_set = read_up_to(target, start, (count + 7) // 8) if start else b""
        fds += [
            n
            for n in range(8 * len(descriptor_set))
            if descriptor_set[n // 8] >> n % 8 & 1 and n < count
        ]
    timed = bool(thread.system_call_argument(4))
    if not fds and timed:
        return SystemCall(hang_types.SLEEP, name, timed=True)  # time.sleep() before 3.11
    return SystemCall(hang_types.POLL, name, timed=timed, fds=tuple(fds))
