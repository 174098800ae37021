# SPDX-License-Identifier: Apache-2.0
# locks: {"name": "locks-dead-order", "arguments": ["order"]}
# locks: {"name": "locks-dead-three", "arguments": ["three"]}
# locks: {"name": "locks-dead-self", "arguments": ["itself"]}
# locks: {"name": "locks-dead-self-mutex", "arguments": ["self_mutex"]}
# locks: {"name": "locks-dead-gil", "arguments": ["gil_mutex"]}
# locks: {"name": "locks-dead-join", "arguments": ["joins"]}
# locks: {"name": "locks-dead-import", "arguments": ["imports"]}
# locks: {"name": "locks-fine-busy", "arguments": ["busy"]}
# locks: {"name": "locks-fine-pool", "arguments": ["pool"]}
# locks: {"name": "locks-fine-retake", "arguments": ["retake"]}
# locks: {"name": "locks-fine-chain", "arguments": ["chain"]}
# locks: {"name": "locks-fine-released", "arguments": ["released"]}
"""Deadlocks of every kind without a fork, and processes that look alike and are fine."""

import ctypes
import os
import sys
import threading
import time

import lockbed

A, B, C = threading.Lock(), threading.Lock(), threading.Lock()
R = threading.RLock()


def both(first, second, barrier):
    with first:
        barrier.wait()
        with second:
            pass


def order():
    barrier = threading.Barrier(2)
    lockbed.thread("one", both, A, B, barrier)
    lockbed.thread("two", both, B, A, barrier)
    lockbed.expect("one", "threading.Lock", "two", "cycle", "__main__.B")
    lockbed.expect("two", "threading.Lock", "one", "cycle", "__main__.A")
    lockbed.expect_finding("lock_order_cycle")


def three():
    barrier = threading.Barrier(3)
    condition = threading.Condition(C)
    lockbed.thread("one", both, A, R, barrier)
    lockbed.thread("two", both, R, condition, barrier)
    lockbed.thread("three", both, condition, A, barrier)
    lockbed.expect("one", "threading.RLock", "two", "cycle", "__main__.R")
    lockbed.expect("two", "threading.Lock", "three", "cycle", "__main__.C")
    lockbed.expect("three", "threading.Lock", "one", "cycle", "__main__.A")
    lockbed.expect_finding("lock_order_cycle")


def again():
    with A:
        inner()


def inner():
    with A:
        pass


def itself():
    lockbed.thread("one", again)
    lockbed.expect("one", "threading.Lock", "one", "self-deadlock", "__main__.A")
    lockbed.expect_finding("self_deadlock")


def self_mutex():
    libc, lock = ctypes.CDLL(None), ctypes.create_string_buffer(64)
    KEPT.append(lock)

    def twice():
        libc.pthread_mutex_lock(lock)
        libc.pthread_mutex_lock(lock)

    lockbed.thread("one", twice)
    lockbed.expect("one", "pthread mutex", "one", "self-deadlock")
    lockbed.expect_finding("self_deadlock")


def gil_mutex():
    """One thread has the mutex and wants the GIL, the other has the GIL and wants the mutex."""
    libc, holding, lock = ctypes.CDLL(None), ctypes.PyDLL(None), ctypes.create_string_buffer(64)
    KEPT.append(lock)
    taken, coming = threading.Event(), []

    def has_mutex():
        libc.pthread_mutex_lock(lock)
        taken.set()
        while not coming:
            libc.usleep(1000)
        libc.usleep(150000)
        libc.pthread_mutex_unlock(lock)

    lockbed.thread("mutex", has_mutex)
    taken.wait()
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        lockbed.expect("mutex", "GIL", "MainThread", "cycle")
        lockbed.expect("MainThread", "pthread mutex", "mutex", "cycle")
        lockbed.expect_finding("gil_versus_mutex")
    lockbed.tell()
    coming.append(1), holding.pthread_mutex_lock(lock)
    lockbed.nap()


def joins():
    """Two threads join each other."""
    made = {}

    def join_other(name):
        lockbed.wait_until(lambda: len(made) == 2)
        made[name].join()

    one = lockbed.thread("one", join_other, "two")
    two = lockbed.thread("two", join_other, "one")
    made.update(one=one, two=two)
    lockbed.wait_until(lambda: len(made) == 2)
    lockbed.expect("one", "Thread.join", "two", "cycle")
    lockbed.expect("two", "Thread.join", "one", "cycle")
    lockbed.expect_finding("join_deadlock")


def imports():
    """A module starts a thread and joins it while being imported; the thread imports the module."""
    with open("eager_module.py", "w") as handle:
        handle.write(
            "import lockbed\n"
            "def work():\n"
            "    import eager_module\n"
            "    eager_module.work\n"
            "one = lockbed.thread('worker', work)\n"
            "lockbed.wait_until(lambda: 'worker' in lockbed.started)\n"
            "lockbed.tell()\n"
            "one.join()\n"
        )
    sys.path.insert(0, os.getcwd())
    lockbed.expect("worker", "module lock", "MainThread", "cycle", "eager_module")
    lockbed.expect("MainThread", "Thread.join", "worker", "cycle")
    lockbed.expect_finding("import_deadlock")
    import eager_module


def busy():
    """The holder works and will be done some day."""
    lockbed.thread("holder", hold, A)
    lockbed.wait_until(A.locked)
    for number in range(5):
        name = "waiter-%d" % number
        lockbed.thread(name, take, A)
        lockbed.expect(name, "threading.Lock", "holder", "live-holder", "__main__.A")


def hold(lock):
    with lock:
        time.sleep(600)


def take(lock):
    with lock:
        pass


def retake():
    """A block gave its lock away by hand and wants it back from one that has it now."""
    given = threading.Event()

    def inside():
        with A:
            A.release()
            given.set()
            lockbed.wait_until(A.locked)
            A.acquire()

    def taker():
        given.wait()
        with A:
            lockbed.nap()

    lockbed.thread("one", inside)
    lockbed.thread("two", taker)
    lockbed.wait_until(lambda: given.is_set() and A.locked())
    lockbed.expect("one", "threading.Lock", "two", "live-holder", "__main__.A")


def pool():
    """An idle pool: its workers wait for work that may come."""
    from concurrent.futures import ThreadPoolExecutor

    made = ThreadPoolExecutor(3)
    KEPT.append(made)
    for _ in range(3):
        made.submit(time.sleep, 0.05)


def chain():
    """Each waits for the next one, and the last one works."""
    barrier = threading.Barrier(2)
    lockbed.thread("last", hold, B)
    lockbed.wait_until(B.locked)
    barrier = threading.Barrier(1)
    lockbed.thread("middle", both, A, B, barrier)
    lockbed.wait_until(A.locked)
    lockbed.thread("first", take, A)
    lockbed.expect("middle", "threading.Lock", "last", "live-holder", "__main__.B")
    lockbed.expect("first", "threading.Lock", "middle", "live-holder", "__main__.A")


def released():
    """Waits in two Conditions whose locks they gave up: nothing is held by either."""
    one, two = threading.Condition(A), threading.Condition(B)

    def wait_in(condition):
        with condition:
            condition.wait()

    lockbed.thread("one", wait_in, one)
    lockbed.thread("two", wait_in, two)
    lockbed.expect("one", "threading.Condition")
    lockbed.expect("two", "threading.Condition")


KEPT = []

if __name__ == "__main__":
    lockbed.watch()
    globals()[sys.argv[2]]()
    lockbed.hang()
