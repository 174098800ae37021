# SPDX-License-Identifier: Apache-2.0
"""The main thread waits for an Event that a thread sets at its end; that thread ended by an
exception before.
"""

import os
import threading
import time

LOADED = threading.Event()


def load():
    rows = {}
    rows["missing"]
    LOADED.set()


def wait_until_loaded():
    LOADED.wait()


def main():
    threading.excepthook = lambda *_: None
    threading.Thread(target=load, name="loader").start()
    time.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    wait_until_loaded()


main()
