# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die beside a thread that runs C alone, of which Python knows nothing."""

import ctypes
import time

import deathbed

LIBC = ctypes.CDLL(None)
ENOUGH = 0.2


def start():
    ident = ctypes.c_ulong()
    assert LIBC.pthread_create(ctypes.byref(ident), None, LIBC.pause, None) == 0
    time.sleep(ENOUGH)  # without /proc (in a chroot) nothing tells that it sleeps
    while not deathbed.asleep("/proc/self/task"):
        time.sleep(deathbed.STEP)


def main(way):
    start()
    deathbed.die(way, facts={"native_threads": 1})


if __name__ == "__main__":
    main(deathbed.prepare("raise"))
