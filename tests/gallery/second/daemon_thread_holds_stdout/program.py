# SPDX-License-Identifier: Apache-2.0
"""At the end of the program a daemon thread holds the lock of sys.stdout, blocked in a full pipe
that nobody reads; the interpreter cannot flush and gives up.
"""

import os
import sys
import threading
import time


def copy_rows():
    time.sleep(1.5)


def print_progress():
    time.sleep(0.5)
    while True:
        sys.stdout.write("copied another thousand rows\n" * 200)
        sys.stdout.flush()


def main():
    reading, writing = os.pipe()
    os.dup2(writing, 1)
    threading.Thread(target=print_progress, name="progress", daemon=True).start()
    threading.Thread(target=copy_rows, name="copy").start()


main()
