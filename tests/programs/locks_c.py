# SPDX-License-Identifier: Apache-2.0
# locks: {"name": "locks-mutex", "arguments": ["mutex", "0"]}
# locks: {"name": "locks-mutex-recursive", "arguments": ["mutex", "1"]}
# locks: {"name": "locks-mutex-checking", "arguments": ["mutex", "2"]}
# locks: {"name": "locks-mutex-adaptive", "arguments": ["mutex", "3"]}
# locks: {"name": "locks-mutex-robust", "arguments": ["mutex", "0", "robust"]}
# locks: {"name": "locks-mutex-inherit", "arguments": ["mutex", "0", "inherit"]}
# locks: {"name": "locks-mutex-shared", "arguments": ["mutex", "0", "shared"]}
# locks: {"name": "locks-rwlock-writer", "arguments": ["rwlock", "writer"]}
# locks: {"name": "locks-rwlock-readers", "arguments": ["rwlock", "readers"]}
# locks: {"name": "locks-sem", "arguments": ["sem"]}
# locks: {"name": "locks-cond", "arguments": ["cond"]}
# locks: {"name": "locks-pthread-barrier", "arguments": ["barrier"]}
# locks: {"name": "locks-pthread-join", "arguments": ["pthread_join"]}
# locks: {"name": "locks-file", "arguments": ["file"]}
# locks: {"name": "locks-loader", "arguments": ["loader"]}
# locks: {"name": "locks-gil", "arguments": ["gil"]}
# locks: {"name": "locks-critical", "arguments": ["critical"]}
# locks: {"name": "locks-stop", "arguments": ["stop"]}
# locks: {"name": "locks-no-lock", "arguments": ["no_lock"]}
"""Wait for one kind of lock of the C library each, or for none; none of these is a deadlock."""

import ctypes
import os
import select
import socket
import sys
import threading
import time

import lockbed

LIBC = ctypes.CDLL(None)
HOLDING = ctypes.PyDLL(None)  # calls keep the GIL
ROOM = 256  # bytes; more than any of these locks has
KINDS = {"0": "pthread mutex", "1": "recursive", "2": "error-checking", "3": "adaptive"}


def room():
    made = ctypes.create_string_buffer(ROOM)
    KEPT.append(made)
    return made


def hold(function, *arguments):
    """Start the holder; return once it holds."""
    taken = threading.Event()

    def body():
        assert getattr(LIBC, function)(*arguments) == 0
        taken.set()
        lockbed.nap()

    lockbed.thread("holder", body)
    taken.wait()


def mutex(kind, how=""):
    lock, attributes = room(), room()
    LIBC.pthread_mutexattr_init(attributes)
    LIBC.pthread_mutexattr_settype(attributes, int(kind))
    setting = {"robust": "setrobust", "inherit": "setprotocol", "shared": "setpshared"}.get(how)
    if setting:
        getattr(LIBC, "pthread_mutexattr_" + setting)(attributes, 1)
    LIBC.pthread_mutex_init(lock, attributes)
    hold("pthread_mutex_lock", lock)
    lockbed.thread("waiter", LIBC.pthread_mutex_lock, lock)
    lockbed.expect("waiter", "pthread mutex", "holder", "live-holder")


def rwlock(by):
    lock = room()
    LIBC.pthread_rwlock_init(lock, None)
    hold("pthread_rwlock_wrlock" if by == "writer" else "pthread_rwlock_rdlock", lock)
    owner = ("holder", "live-holder") if by == "writer" else (None, "unknown")
    lockbed.thread("writer", LIBC.pthread_rwlock_wrlock, lock)
    lockbed.expect("writer", "pthread rwlock", *owner)
    if by == "writer":
        lockbed.thread("reader", LIBC.pthread_rwlock_rdlock, lock)
        lockbed.expect("reader", "pthread rwlock", *owner)


def sem():
    one = room()
    LIBC.sem_init(one, 0, 0)
    lockbed.thread("waiter", LIBC.sem_wait, one)
    lockbed.expect("waiter", "semaphore", None, "unknown")


def cond():
    lock, one = room(), room()

    def body():
        LIBC.pthread_mutex_lock(lock)
        LIBC.pthread_cond_wait(one, lock)

    lockbed.thread("waiter", body)
    lockbed.expect("waiter", "pthread condition variable", None, "unknown")


def barrier():
    one = room()
    LIBC.pthread_barrier_init(one, None, 3)
    for name in ("first", "second"):
        lockbed.thread(name, LIBC.pthread_barrier_wait, one)
        lockbed.expect(name, "pthread barrier", None, "unknown")


def pthread_join():
    sleeper = lockbed.thread("sleeper", lockbed.nap)
    LIBC.pthread_join.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    # Python detaches its threads, which pthread_join() refuses: the joined one is made by hand.
    made = ctypes.c_void_p()
    LIBC.pthread_create.argtypes = (ctypes.c_void_p,) * 4
    body = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(by_hand)
    KEPT.extend((sleeper, body))
    LIBC.pthread_create(ctypes.byref(made), None, ctypes.cast(body, ctypes.c_void_p), None)
    lockbed.wait_until(lambda: "by-hand" in lockbed.started)
    lockbed.thread("joiner", LIBC.pthread_join, made, None)
    lockbed.expect("joiner", "pthread_join", "by-hand", "live-holder")


def by_hand(_):
    lockbed.started["by-hand"] = threading.get_native_id()
    lockbed.nap()


def file():
    LIBC.fopen.restype = ctypes.c_void_p
    LIBC.flockfile.argtypes = (ctypes.c_void_p,)
    stream = LIBC.fopen(b"written", b"w")
    taken = threading.Event()

    def body():
        LIBC.flockfile(stream)
        taken.set()
        lockbed.nap()

    lockbed.thread("holder", body)
    taken.wait()
    lockbed.thread("waiter", LIBC.flockfile, stream)
    lockbed.expect("waiter", "stdio FILE", "holder", "live-holder")


def loader():
    """dl_iterate_phdr() calls back with a lock of the loader held."""
    taken = threading.Event()
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)

    def stay(*_):
        taken.set()
        lockbed.nap()
        return 1

    one, two = kind(stay), kind(lambda *_: 1)
    KEPT.extend((one, two))
    lockbed.thread("holder", LIBC.dl_iterate_phdr, one, None)
    taken.wait()
    lockbed.thread("waiter", LIBC.dl_iterate_phdr, two, None)
    lockbed.expect("waiter", "pthread mutex", "holder", "live-holder")


def gil():
    """A foreign function sleeps with the GIL held; that is bad manners and no deadlock."""
    lockbed.thread("waiter", spin)
    lockbed.wait_until(lambda: "waiter" in lockbed.started)
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        lockbed.expect("waiter", "GIL", "MainThread", "live-holder")
    lockbed.tell()
    HOLDING.sleep(600)


def spin():
    while True:
        time.sleep(0.001)


def after(condition):
    """Wait until another thread is about to sleep in C, however long it takes to come there."""
    while not condition():
        time.sleep(0.001)
    time.sleep(0.2)


def with_gil():
    return getattr(sys, "_is_gil_enabled", lambda: True)()


def critical():
    """A foreign function sleeps inside list.sort(): without a GIL the list's own mutex is held."""
    items = [2, 1]

    def key(item):
        lockbed.started["holder"] = threading.get_native_id()
        HOLDING.sleep(600)
        return item

    def append():
        after(lambda: "holder" in lockbed.started)
        items.append(3)

    lockbed.thread("waiter", append)
    lockbed.wait_until(lambda: "waiter" in lockbed.started)
    if with_gil():
        lockbed.expect("waiter", "GIL", "MainThread", "live-holder")
    else:
        lockbed.expect("waiter", "critical section")
    lockbed.tell()
    items.sort(key=key)


def stop():
    """Without a GIL a collection stops the world, and a foreign function does not let it."""
    import gc

    stopped = []

    def collect():
        after(lambda: stopped)
        gc.collect()

    lockbed.thread("collector", collect)
    lockbed.thread("other", spin)
    lockbed.wait_until(lambda: "other" in lockbed.started)
    for name in ("collector", "other"):
        if with_gil():
            lockbed.expect(name, "GIL", "MainThread", "live-holder")
        else:
            lockbed.expect(name, "stop-the-world")
    lockbed.tell()
    stopped.append(1), HOLDING.sleep(600)


def no_lock():
    reading, _ = os.pipe()
    pair = socket.socketpair()
    KEPT.append(pair)
    lockbed.thread("reader", os.read, reading, 1)
    lockbed.thread("receiver", pair[0].recv, 1)
    lockbed.thread("selector", select.select, [reading], [], [])
    lockbed.thread("sleeper", lockbed.nap)


KEPT = []

if __name__ == "__main__":
    lockbed.watch()
    globals()[sys.argv[2]](*sys.argv[3:])
    lockbed.hang()
