# SPDX-License-Identifier: Apache-2.0
# locks: {"name": "locks-with", "arguments": ["with"]}
# locks: {"name": "locks-acquire", "arguments": ["acquire"]}
# locks: {"name": "locks-timeout", "arguments": ["timeout"]}
# locks: {"name": "locks-no-block", "arguments": ["no_block"]}
# locks: {"name": "locks-attribute", "arguments": ["attribute"]}
# locks: {"name": "locks-closure", "arguments": ["closure"]}
# locks: {"name": "locks-nested", "arguments": ["nested"]}
# locks: {"name": "locks-generator", "arguments": ["generator"]}
# locks: {"name": "locks-exit-stack", "arguments": ["exit_stack"]}
# locks: {"name": "locks-rlock", "arguments": ["rlock"]}
# locks: {"name": "locks-condition", "arguments": ["condition"]}
# locks: {"name": "locks-condition-held", "arguments": ["condition_held"]}
# locks: {"name": "locks-event", "arguments": ["event"]}
# locks: {"name": "locks-semaphore", "arguments": ["semaphore"]}
# locks: {"name": "locks-barrier", "arguments": ["barrier"]}
# locks: {"name": "locks-queue", "arguments": ["queues"]}
# locks: {"name": "locks-simple-queue", "arguments": ["simple_queue"]}
# locks: {"name": "locks-future", "arguments": ["future"]}
# locks: {"name": "locks-join", "arguments": ["join"]}
# locks: {"name": "locks-module", "arguments": ["module"]}
# locks: {"name": "locks-buffered", "arguments": ["buffered"]}
# locks: {"name": "locks-semlock", "arguments": ["semlock"], "semaphores": true}
"""Wait for one kind of Python lock each; none of these is a deadlock."""

import os
import sys
import threading

import lockbed

LOCK, OTHER, OWNED = threading.Lock(), threading.Lock(), threading.RLock()


class Account:
    def __init__(self):
        self.lock = threading.Lock()

    def hold(self):
        with self.lock:
            lockbed.nap()

    def take(self):
        with self.lock:
            pass


ACCOUNT = Account()


def hold_block(lock, entered=None):
    with lock:
        lockbed.nap()


def take_block(lock):
    with lock:
        pass


def take(lock, *arguments):
    lock.acquire(*arguments)


def held(lock):
    """Start a thread that holds a lock in a `with` block; return once it does."""
    lockbed.thread("holder", hold_block, lock)
    lockbed.wait_until(lock.locked if hasattr(lock, "locked") else lambda: not free(lock))


def free(lock):
    if lock.acquire(False):
        lock.release()
        return True
    return False


def with_():
    held(LOCK)
    lockbed.thread("waiter", take_block, LOCK)
    lockbed.expect("waiter", "threading.Lock", "holder", "live-holder", "__main__.LOCK")


def acquire():
    held(LOCK)
    lockbed.thread("waiter", take, LOCK)
    lockbed.expect("waiter", "threading.Lock", "holder", "live-holder", "__main__.LOCK")


def timeout():
    held(LOCK)
    lockbed.thread("waiter", take, LOCK, True, 900)
    lockbed.expect("waiter", "threading.Lock", "holder", "live-holder", "__main__.LOCK")


def no_block():
    LOCK.acquire()
    lockbed.thread("waiter", take_block, LOCK)
    lockbed.expect("waiter", "threading.Lock", None, "unknown", "__main__.LOCK")


def attribute():
    lockbed.thread("holder", ACCOUNT.hold)
    lockbed.wait_until(ACCOUNT.lock.locked)
    lockbed.thread("waiter", ACCOUNT.take)
    lockbed.expect("waiter", "threading.Lock", "holder", "live-holder", "__main__.ACCOUNT.lock")


def closure():
    lock = threading.Lock()

    def inside():
        with lock:
            lockbed.nap()

    lockbed.thread("holder", inside)
    lockbed.wait_until(lock.locked)
    lockbed.thread("waiter", lambda: lock.acquire())
    lockbed.expect("waiter", "threading.Lock", "holder", "live-holder")


def nested():
    """The holder is deep inside: in an except clause, a loop and another block."""

    def inside():
        with OTHER:
            for _ in range(3):
                with LOCK:
                    try:
                        raise ValueError
                    except ValueError:
                        with open(__file__):
                            lockbed.nap()

    lockbed.thread("holder", inside)
    lockbed.wait_until(LOCK.locked)
    lockbed.thread("waiter", take_block, LOCK)
    lockbed.thread("second", take_block, OTHER)
    lockbed.expect("waiter", "threading.Lock", "holder", "live-holder", "__main__.LOCK")
    lockbed.expect("second", "threading.Lock", "holder", "live-holder", "__main__.OTHER")


def generator():
    """The block is in a generator that a decorator made a manager of."""
    import contextlib

    @contextlib.contextmanager
    def locked():
        with LOCK:
            yield

    def inside():
        with locked():
            lockbed.nap()

    lockbed.thread("holder", inside)
    lockbed.wait_until(LOCK.locked)
    lockbed.thread("waiter", take_block, LOCK)
    lockbed.expect("waiter", "threading.Lock", "holder", "live-holder", "__main__.LOCK")


def exit_stack():
    """The lock is one of several managers that an ExitStack has entered."""
    import contextlib

    def inside():
        with contextlib.ExitStack() as entered:
            entered.callback(print, end="")
            entered.enter_context(LOCK)
            lockbed.nap()

    lockbed.thread("holder", inside)
    lockbed.wait_until(LOCK.locked)
    lockbed.thread("waiter", take_block, LOCK)
    lockbed.expect("waiter", "threading.Lock", "holder", "live-holder", "__main__.LOCK")


def rlock():
    held(OWNED)
    lockbed.thread("waiter", take_block, OWNED)
    lockbed.thread("second", take, OWNED)
    lockbed.expect("waiter", "threading.RLock", "holder", "live-holder", "__main__.OWNED")
    lockbed.expect("second", "threading.RLock", "holder", "live-holder", "__main__.OWNED")


def condition():
    """Waiting in Condition.wait() gives the lock up, whatever block the frame is in."""
    one = threading.Condition(LOCK)

    def sleeper():
        with one:
            one.wait()

    lockbed.thread("sleeper", sleeper)
    lockbed.thread("timed", lambda: take_and_wait(one))
    lockbed.expect("sleeper", "threading.Condition")
    lockbed.expect("timed", "threading.Condition")


def take_and_wait(one):
    with one:
        one.wait_for(lambda: False, 900)


def condition_held():
    """One thread is in the block, another waits to enter, a third waits to be notified."""
    one = threading.Condition(LOCK)
    lockbed.thread("sleeper", take_and_wait, one)
    lockbed.wait_until(lambda: "sleeper" in lockbed.started)
    lockbed.thread("holder", hold_block, one)
    lockbed.wait_until(LOCK.locked)
    lockbed.thread("waiter", take_block, one)
    lockbed.expect("sleeper", "threading.Condition")
    lockbed.expect("waiter", "threading.Lock", "holder", "live-holder", "__main__.LOCK")


def event():
    one = threading.Event()
    lockbed.thread("waiter", one.wait)
    lockbed.thread("timed", one.wait, 900)
    lockbed.expect("waiter", "threading.Event")
    lockbed.expect("timed", "threading.Event")


def semaphore():
    one = threading.Semaphore(0)
    lockbed.thread("waiter", one.acquire)
    lockbed.thread("second", take_block, threading.BoundedSemaphore(1))
    lockbed.expect("waiter", "threading.Semaphore")


def barrier():
    one = threading.Barrier(3)
    lockbed.thread("first", one.wait)
    lockbed.thread("second", one.wait)
    lockbed.expect("first", "threading.Barrier")
    lockbed.expect("second", "threading.Barrier")


def queues():
    import queue

    full = queue.Queue(1)
    full.put(1)
    lockbed.thread("getter", queue.Queue().get)
    lockbed.thread("putter", full.put, 2)
    lockbed.thread("joiner", full.join)
    for name in ("getter", "putter", "joiner"):
        lockbed.expect(name, "queue.Queue")


def simple_queue():
    import queue

    lockbed.thread("getter", queue.SimpleQueue().get)
    lockbed.expect("getter", "queue.SimpleQueue")


def future():
    from concurrent.futures import Future

    lockbed.thread("waiter", Future().result)
    lockbed.thread("timed", Future().exception, 900)
    lockbed.expect("waiter", "Future")
    lockbed.expect("timed", "Future")


def join():
    sleeper = lockbed.thread("sleeper", lockbed.nap)
    lockbed.thread("joiner", sleeper.join)
    lockbed.thread("timed", sleeper.join, 900)
    lockbed.expect("joiner", "Thread.join", "sleeper", "live-holder")
    lockbed.expect("timed", "Thread.join", "sleeper", "live-holder")


def module():
    with open("slow_module.py", "w") as handle:
        handle.write("import lockbed\nlockbed.nap()\n")

    def load():
        import slow_module

    sys.path.insert(0, os.getcwd())
    lockbed.thread("holder", load)
    lockbed.wait_until(lambda: "slow_module" in sys.modules)
    lockbed.thread("waiter", load)
    lockbed.expect("waiter", "module lock", "holder", "live-holder", "slow_module")


def buffered():
    """The first writer sleeps in write(2) with the buffer's lock held."""
    reading, writing = os.pipe()
    stream = os.fdopen(writing, "wb")
    lockbed.thread("holder", stream.write, b"x" * (1 << 20))
    lockbed.wait_until(lambda: "holder" in lockbed.started)
    lockbed.thread("waiter", stream.write, b"y" * (1 << 16))
    lockbed.expect("waiter", "buffered I/O lock", "holder", "live-holder")
    KEPT.append((reading, stream))


def semlock():
    import multiprocessing

    one = multiprocessing.Lock()
    one.acquire()
    lockbed.thread("waiter", one.acquire)
    lockbed.expect("waiter", "multiprocessing SemLock", None, "other-process")
    KEPT.append(one)


KEPT = []

if __name__ == "__main__":
    lockbed.watch()
    globals().get(sys.argv[2] + "_", globals().get(sys.argv[2]))()
    lockbed.hang()
