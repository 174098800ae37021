# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die beside thread and process pools and queues in every state."""

import asyncio
import concurrent.futures
import ctypes
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time

import deathbed

PR_SET_PDEATHSIG = 1
PARENT = os.getpid()
LOCK = threading.Lock()
KEPT = {}


def work(number):
    deathbed.parked.append(threading.get_native_id())
    LOCK.acquire()
    return number


def in_c(number):
    """Return a C function that stays."""
    return number


class Own(concurrent.futures.ThreadPoolExecutor):
    """A pool of the program's own class."""


def filled(kind, number, **options):
    one = kind(**options)
    for item in range(number):
        one.put_nowait(item)
    return one


def getter(one):
    deathbed.parked.append(threading.get_native_id())
    one.get()


def idle():
    """Return a pool with one worker that waits for work."""
    pool = Own(2, thread_name_prefix="resting")
    pool.submit(in_c, 1).result()
    return pool


def queues():
    """Return the truth about the queues: sizes, limits, and how many wait to get."""
    KEPT["full"] = filled(queue.Queue, 5, maxsize=5)
    KEPT["last"] = filled(queue.LifoQueue, 2)
    KEPT["first"] = filled(queue.PriorityQueue, 3, maxsize=10)
    KEPT["simple"] = filled(queue.SimpleQueue, 4)
    KEPT["waited"] = queue.Queue()
    KEPT["full"].get()
    KEPT["simple"].get()
    for _ in range(2):
        threading.Thread(target=getter, args=(KEPT["waited"],), daemon=True).start()


async def asynchronous():
    KEPT["async"] = filled(asyncio.Queue, 6, maxsize=7)
    KEPT["async-waited"] = asyncio.Queue()
    waiters = [asyncio.ensure_future(KEPT["async-waited"].get()) for _ in range(3)]
    await asyncio.sleep(0.01)
    return waiters


def truth():
    kind = "{0.__module__}.{0.__qualname__}".format
    simple = "_queue.SimpleQueue"
    return {
        "queues": {
            "full": [kind(queue.Queue), 4, 5, 5, 0],
            "last": [kind(queue.LifoQueue), 2, 0, 2, 0],
            "first": [kind(queue.PriorityQueue), 3, 10, 3, 0],
            "simple": [simple, 3, None, None, None],
            "waited": [kind(queue.Queue), 0, 0, 0, 2],
            "async": [kind(asyncio.Queue), 6, 7, 6, 0],
            "async-waited": [kind(asyncio.Queue), 0, 0, 0, 3],
        },
        "addresses": {name: id(one) for name, one in KEPT.items()},
        "pool": {"max": 3, "queued": 4, "workers": sorted(deathbed.parked[:3])},
        "getters": sorted(deathbed.parked[3:]),
        "processes": sorted(PROCESSES._processes) if PROCESSES else [],
    }


def end_with_parent():
    """Let the kernel end this worker when the process that is to die has died."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    for number in (1, 2):  # nobody is to wait for the end of what a worker could write
        os.close(number)
    if os.getppid() != PARENT:
        os._exit(0)


def start_processes():
    """Return a pool of processes that has calls to do, or None where there is no semaphore."""
    try:
        context = multiprocessing.get_context("fork")
        options = {"mp_context": context, "initializer": end_with_parent}
        pool = concurrent.futures.ProcessPoolExecutor(2, **options)
        pool.submit(in_c, 1).result()
    except (ImportError, OSError):
        return None
    for _ in range(3):
        pool.submit(time.sleep, 3)
    pool.submit(in_c, 1)
    return pool


def main():
    global PROCESSES
    PROCESSES = start_processes()
    LOCK.acquire()
    pool = concurrent.futures.ThreadPoolExecutor(3, thread_name_prefix="busy")
    for number in range(7):
        pool.submit(work, number)
    while len(deathbed.parked) < 3:
        time.sleep(deathbed.STEP)
    resting = idle()
    queues()
    loop = asyncio.new_event_loop()
    tasks = loop.run_until_complete(asynchronous())
    way = deathbed.prepare("kill")
    deathbed.gather(5)
    deathbed.die(way, facts=truth())
    return resting, tasks


if __name__ == "__main__":
    sys.setswitchinterval(0.001)
    main()
