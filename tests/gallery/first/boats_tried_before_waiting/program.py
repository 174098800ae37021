# SPDX-License-Identifier: Apache-2.0
"""Who wants the only boat tries first, and waits at the pier when it is out."""

import os
import threading
import time


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


boat = threading.Lock()
out = threading.Event()


def hire(seconds):
    with boat:
        out.set()
        time.sleep(seconds)


def row():
    if not boat.acquire(blocking=False):
        print("the boat is out", flush=True)
        boat.acquire()
    try:
        print("rowing")
    finally:
        boat.release()


threading.Thread(target=hire, args=(5400,), name="hirer").start()
out.wait()
tell()
row()
