# SPDX-License-Identifier: Apache-2.0
"""An extension reads a pipe without releasing the GIL; the thread that is to write into the pipe
is a Python thread and waits for the GIL.
"""

import os
import threading
import time

import meter


def simulate_device(writing):
    time.sleep(0.3)
    os.write(writing, bytes(16))


def poll_device(reading):
    return meter.read_frame(reading)


def main():
    reading, writing = os.pipe()
    threading.Thread(target=simulate_device, args=(writing,), name="device").start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    poll_device(reading)


main()
