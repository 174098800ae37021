# SPDX-License-Identifier: Apache-2.0
"""At exit the program waits for a queue to be emptied, but its worker was a daemon that had
stopped on its own.
"""

import atexit
import os
import queue
import threading
import time

LINES = queue.Queue()


def write_lines():
    for _ in range(2):
        LINES.get()
        LINES.task_done()


def drain():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    LINES.join()


def main():
    atexit.register(drain)
    threading.Thread(target=write_lines, daemon=True).start()
    for number in range(5):
        LINES.put(number)
    time.sleep(0.1)


main()
