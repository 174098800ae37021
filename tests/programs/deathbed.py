# SPDX-License-Identifier: Apache-2.0
"""Write down the truth about this process, then die.

The programs beside this file import it. Each dies by `die()`, which takes the frames of every
thread from the interpreter itself and ends the process from the same line, so that the core holds
exactly the frames that were written. Runs on CPython 3.8 to 3.15, standard library alone.

    program.py TRUTH_FILE [ARGUMENT...]
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import NamedTuple

# GDB_EPI_WAY=pause makes any program stay alive where it would have died, for live dumps.
OVERRIDE = os.environ.get("GDB_EPI_WAY")
# Taken now: sys.argv is gone when the interpreter tears itself down.
TRUTH = os.path.abspath(sys.argv[1])
STEP = 0.01


class Way(NamedTuple):
    """A way to die: what is called, the signal it ends in, and what it leaves behind."""

    name: str
    call: object
    arguments: tuple
    signal: int
    holds_gil: bool
    inner: tuple = ()  # Python frames that `call` itself adds, innermost first


def describe(frame):
    """Return [name, qualname or None, file, line] of one frame."""
    code = frame.f_code
    return [code.co_name, getattr(code, "co_qualname", None), code.co_filename, frame.f_lineno]


def stack(frame):
    """Return the descriptions of a frame and its callers, innermost first."""
    found = []
    while frame is not None:
        found.append(describe(frame))
        frame = frame.f_back
    return found


def last_line(function):
    """Return a function's description at its last line, for a one-statement function."""
    import dis

    code = function.__code__
    line = max(line for _, line in dis.findlinestarts(code) if line is not None)
    return [code.co_name, getattr(code, "co_qualname", None), code.co_filename, line]


def by_kill(name):
    """Die of a signal sent to the process; the main thread receives it."""
    return Way(name, os.kill, (os.getpid(), signal.SIGSEGV), signal.SIGSEGV, True)


def by_raise_signal(name):
    """Die of a signal sent to the calling thread, with the GIL held."""
    number = {"raise": signal.SIGSEGV, "raise-bus": signal.SIGBUS, "raise-fpe": signal.SIGFPE}[name]
    return Way(name, signal.pthread_kill, (threading.get_ident(), number), number, True)


def by_abort(name):
    """Die of abort(), with the GIL held."""
    return Way(name, os.abort, (), signal.SIGABRT, True)


def by_pydll(name):
    """Die writing address 0 in a foreign function, which ctypes calls with the GIL held.

    Functions of faulthandler that crash are no way: they forbid the core before.
    """
    import ctypes

    function = ctypes.PyDLL(None).memmove
    return Way(name, function, (0, b"x", 1), signal.SIGSEGV, True)


def by_string_at(name):
    """Die reading address 0 below a Python function of ctypes, with the GIL held."""
    import ctypes

    inner = (last_line(ctypes.string_at),)
    return Way(name, ctypes.string_at, (0,), signal.SIGSEGV, True, inner)


def by_memmove(name):
    """Die writing address 0 in a foreign function, which ctypes calls with the GIL released."""
    import ctypes

    return Way(name, ctypes.memmove, (0, b"x", 1), signal.SIGSEGV, False)


def by_libc_raise(name):
    """Die of SIGABRT through libc's raise(), with the GIL released."""
    import ctypes

    function = getattr(ctypes.CDLL(None), "raise")
    return Way(name, function, (int(signal.SIGABRT),), signal.SIGABRT, False)


def by_pause(name):
    """Do not die: stay for a live dump."""
    return Way(name, time.sleep, (600,), 0, False)


WAYS = {
    "kill": by_kill,
    "raise": by_raise_signal,
    "raise-bus": by_raise_signal,
    "raise-fpe": by_raise_signal,
    "abort": by_abort,
    "pydll": by_pydll,
    "string-at": by_string_at,
    "memmove": by_memmove,
    "libc-raise": by_libc_raise,
    "pause": by_pause,
}


def prepare(name):
    """Return a way to die; call it in the dying thread, before anything is torn down."""
    name = OVERRIDE or name
    return WAYS[name](name)


def thread(frames, interpreter=0):
    """Return the truth about the calling thread."""
    return {
        "ident": threading.get_ident(),
        "native_id": threading.get_native_id(),
        "name": threading.current_thread().name,
        "interpreter": interpreter,
        "frames": frames,
    }


def other_threads():
    """Return the truth about every thread but the calling one."""
    known = {one.ident: one for one in threading.enumerate()}
    found = []
    for ident, frame in sys._current_frames().items():
        if ident == threading.get_ident():
            continue
        one = known.get(ident)
        found.append(
            {
                "ident": ident,
                "native_id": one.native_id if one else None,
                "name": one.name if one else None,
                "interpreter": 0,
                "frames": stack(frame),
            }
        )
    return found


def write(content):
    """Write the truth file so that a reader sees all of it or nothing."""
    # Of the built-ins, open() is gone already when __del__ runs at the very end.
    handle = os.open(TRUTH + ".partial", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    data = memoryview(json.dumps(content).encode())
    while data:
        data = data[os.write(handle, data) :]
    os.close(handle)
    os.replace(TRUTH + ".partial", TRUTH)


def testify(frame, way, facts=None, others=None, interpreter=0, frames=None):
    """Write down the truth as it stands, for a death by `way` in `frame`.

    `others` replaces what the interpreter knows of other threads, `frames` the dying thread's own.
    """
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    dying = thread(list(way.inner) + (stack(frame) if frames is None else frames), interpreter)
    content = {
        "pid": os.getpid(),
        "version": list(sys.version_info[:3]),
        "gil": gil,
        "way": way.name,
        "signal": int(way.signal),
        "crashed": dying["native_id"],
        "gil_holder": dying["native_id"] if gil and way.holds_gil else None,
        "threads": [dying] + (other_threads() if others is None else others),
    }
    content.update(facts or {})
    write(content)


def die(way, **options):
    """Testify and die, both in one line: the line number of this frame is then known."""
    return testify(sys._getframe(), way, **options), way.call(*way.arguments)


parked = []


def gather(count):
    """Wait until `count` threads have appended themselves to `parked` and all of them stay put."""
    while len(parked) < count:
        time.sleep(STEP)
    seen, same = None, 0
    tasks = "/proc/self/task"
    # Without /proc nothing tells a thread that waits for a processor from one that is parked.
    needed = 5 if os.path.isdir(tasks) else 30
    while same < needed:
        time.sleep(STEP)
        now = {
            ident: (id(frame.f_code), frame.f_lasti)
            for ident, frame in sys._current_frames().items()
            if ident != threading.get_ident()
        }
        same = same + 1 if now == seen and asleep(tasks) else 0
        seen = now


def asleep(tasks):
    """Return whether the kernel says that every thread but the calling one sleeps."""
    if not os.path.isdir(tasks):
        return True
    own = str(threading.get_native_id())
    for task in os.listdir(tasks):
        with open(f"{tasks}/{task}/stat") as handle:
            state = handle.read().rpartition(")")[2].split()[0]
        if task != own and state not in "SD":
            return False
    return True
