# SPDX-License-Identifier: Apache-2.0
"""Threads of a C library work, and the main thread waits for them by a call of C."""

import ctypes
import os
import threading

libc = ctypes.CDLL("libc.so.6")


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def measure():
    libc.sleep(3600)


threads = [threading.Thread(target=measure, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
threading.Timer(0.3, ready).start()
for thread in threads:
    thread.join()
