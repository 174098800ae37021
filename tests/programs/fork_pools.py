# SPDX-License-Identifier: Apache-2.0
# forks: {"name": "pool-executor", "arguments": ["executor"]}
# forks: {"name": "pool-queue-listener", "arguments": ["listener"]}
# forks: {"name": "pool-queue-worker", "arguments": ["worker"]}
# forks: {"name": "pool-event", "arguments": ["event"]}
# forks: {"name": "pool-timer", "arguments": ["timer"]}
# forks: {"name": "pool-native", "arguments": ["native"]}
"""A pool or a helper thread of the parent that the child lacks; some children wait for it."""

import ctypes
import logging
import logging.handlers
import queue
import sys
import threading
import time

import deathbed
import forkbed
from concurrent.futures import ThreadPoolExecutor

jobs = queue.Queue()
done = threading.Event()


def work():
    while True:
        jobs.get()
        jobs.task_done()


def settle():
    """Wait until the helper threads sit still."""
    deathbed.gather(0)


def executor():
    with_two = ThreadPoolExecutor(2, thread_name_prefix="pool")
    for one in [with_two.submit(time.sleep, 0.05) for _ in range(2)]:
        one.result()
    settle()
    forkbed.hang_in_child(lambda: with_two.submit(len, "").result(),
                          role="concurrent.futures", verdict="lost-wakeup")  # fmt: skip


def listener():
    one = logging.handlers.QueueListener(queue.Queue(), logging.StreamHandler())
    one.start()
    settle()
    forkbed.hang_in_child(forkbed.sleep_for_good, role="logging QueueListener")


def worker():
    threading.Thread(target=work, name="worker", daemon=True).start()
    settle()

    def child():
        jobs.put(1)
        jobs.join()

    forkbed.hang_in_child(child, role="queue worker", verdict="lost-wakeup")


def event():
    threading.Thread(target=setter, name="setter", daemon=True).start()
    settle()
    forkbed.hang_in_child(done.wait, verdict="lost-wakeup")


def setter():
    time.sleep(600)
    done.set()


def timer():
    one = threading.Timer(600, done.set)
    one.daemon = True
    one.start()
    settle()
    forkbed.hang_in_child(forkbed.sleep_for_good, role="threading.Timer")


def native():
    """Start a thread that Python knows nothing of: its start routine is the C library's sleep()."""
    libc = ctypes.CDLL(None)
    thread = ctypes.c_ulong()
    start = ctypes.cast(libc.sleep, ctypes.c_void_p)
    assert libc.pthread_create(ctypes.byref(thread), None, start, ctypes.c_void_p(600)) == 0
    time.sleep(0.2)
    told = {"ident": thread.value, "native_id": None, "name": None, "interpreter": 0, "frames": []}
    forkbed.hang_in_child(forkbed.sleep_for_good, before=lambda: [told], role="a thread of libc")


SCENES = {
    "native": native,"executor": executor, "listener": listener, "worker": worker, "event": event,
          "timer": timer}  # fmt: skip


def main():
    SCENES[sys.argv[2]]()
    import os

    os._exit(0)


if __name__ == "__main__":
    main()
