# SPDX-License-Identifier: Apache-2.0
"""A job of a pool waits with a limit for a job that needs its lock."""

import concurrent.futures
import os
import threading
import time

lock = threading.Lock()
jobs = []


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def outer():
    with lock:
        try:
            return jobs[0].result(timeout=3600)
        except concurrent.futures.TimeoutError:
            return "in vain"


def inner():
    with lock:
        return 1


executor = concurrent.futures.ThreadPoolExecutor(2)
lock.acquire()
first = executor.submit(outer)
time.sleep(0.1)
jobs.append(executor.submit(inner))
time.sleep(0.1)
lock.release()
time.sleep(0.2)
ready()
print(first.result())
