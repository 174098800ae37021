# SPDX-License-Identifier: Apache-2.0
"""The main thread waits on a Condition; the worker that should notify it changed the state
before the wait began, and has ended.
"""

import os
import threading
import time

READY = threading.Condition()


def work():
    with READY:
        READY.notify_all()


def wait_for_result():
    with READY:
        READY.wait()


def main():
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    time.sleep(0.05)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    wait_for_result()


main()
