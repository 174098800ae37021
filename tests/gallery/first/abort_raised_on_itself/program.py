# SPDX-License-Identifier: Apache-2.0
"""The program's own watchdog timer found no progress and killed its process with SIGABRT, while
the main thread waited for a device.
"""

import os
import signal
import time


def watchdog():
    os.kill(os.getpid(), signal.SIGABRT)


def read_device():
    reader, _ = os.pipe()
    return os.read(reader, 10)


def main():
    import threading

    timer = threading.Timer(0.5, watchdog)
    timer.start()
    read_device()


main()
