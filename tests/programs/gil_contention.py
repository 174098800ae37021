# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in the main thread, which holds the GIL in foreign code while other threads want it."""

import ctypes
import gc
import os
import signal
import sys
import threading
import time

import deathbed

SPINNERS = 3
PAUSE = "34 "  # the number of the system call on x86-64


def spin():
    deathbed.parked.append(threading.get_native_id())
    while True: pass  # fmt: skip  # noqa: E701 - one line: it is known where a thread is


def await_pause(pid):
    """Wait until the main thread of a process is in pause().

    Without /proc: until the process has computed next to nothing for a while, as all wait for the
    GIL that it holds. Without a GIL the others compute on, and time has to do.
    """
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    seen, same, proc = 0.0, 0, os.path.isdir("/proc/%d" % pid)
    while same < (3 if proc else 10):
        time.sleep(0.05)
        if proc:
            with open("/proc/%d/syscall" % pid) as handle:
                same = same + 1 if handle.read().startswith(PAUSE) else 0
        else:
            before, seen = seen, time.clock_gettime(~pid << 3 | 2)
            same = same + 1 if seen - before < 0.02 or not gil else 0


def killer():
    """Fork a process that kills this one when it sleeps in C; nothing in this one could."""
    parent = os.getpid()
    if os.fork() == 0:
        while not os.path.exists(deathbed.TRUTH):  # written last of all, among threads that spin
            if os.getppid() != parent:
                os._exit(1)
            time.sleep(0.01)
        await_pause(parent)
        os.kill(parent, signal.SIGSEGV)
        os._exit(0)


def foreign():
    """Return a way to die: asleep in C, with the GIL held, until the signal comes."""
    if deathbed.OVERRIDE:
        return deathbed.prepare(deathbed.OVERRIDE)
    killer()
    function = ctypes.PyDLL(None).pause
    return deathbed.Way("pause", function, (), signal.SIGSEGV, True)


def facts(started):
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    return {
        "spinners": sorted(deathbed.parked),
        "waiting": sorted(deathbed.parked) if gil else [],
        "daemon": {str(one.native_id): one.daemon for one in [*started, threading.main_thread()]},
        "main": threading.main_thread().native_id,
        "modules": len(sys.modules),
        "interval": sys.getswitchinterval(),
        "gc": {"enabled": gc.isenabled(), "threshold": list(gc.get_threshold())},
    }


def main():
    gc.disable()
    gc.set_threshold(701, 11, 12)
    sys.setswitchinterval(0.003)
    way = foreign()
    started = [threading.Thread(target=spin, name=f"spin-{n}") for n in range(SPINNERS)]
    for number, one in enumerate(started):
        one.daemon = number > 0
        one.start()
    while len(deathbed.parked) < SPINNERS:
        time.sleep(deathbed.STEP)
    deathbed.die(way, facts=facts(started))


if __name__ == "__main__":
    main()
