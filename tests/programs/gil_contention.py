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


def spin():
    deathbed.parked.append(threading.get_native_id())
    while True: pass  # fmt: skip  # noqa: E701 - one line: it is known where a thread is


def killer():
    """Fork a process that kills this one when it sleeps in C; nothing in this one could."""
    parent = os.getpid()
    if os.fork() == 0:
        while not os.path.exists(deathbed.TRUTH):  # written last of all, among threads that spin
            if os.getppid() != parent:
                os._exit(1)
            time.sleep(0.01)
        time.sleep(0.5)
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
