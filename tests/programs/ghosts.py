# SPDX-License-Identifier: Apache-2.0
# corpus: {"child": true}
"""Die in a child of a raw fork(): thread states without threads, and a thread without a state."""

import ctypes
import os
import threading
import time

import deathbed

LOCK = threading.Lock()


def sleeper():
    deathbed.parked.append(threading.get_ident())
    LOCK.acquire()


def native_thread():
    """Start a thread that runs no Python code, now or ever; return its id, None without /proc."""
    libc = ctypes.CDLL(None)
    tasks = "/proc/self/task"
    own = set(os.listdir(tasks)) if os.path.isdir(tasks) else None
    handle, attributes = ctypes.c_ulong(), ctypes.create_string_buffer(64)
    libc.pthread_attr_init(attributes)
    # Larger than any cached stack: a reused one would give it the identity of a vanished thread.
    libc.pthread_attr_setstacksize(attributes, ctypes.c_size_t(64 << 20))
    pause = ctypes.cast(libc.pause, ctypes.c_void_p)
    assert libc.pthread_create(ctypes.byref(handle), attributes, pause, None) == 0
    time.sleep(0.05)
    if own is None:
        return None
    (found,) = set(os.listdir(tasks)) - own
    return int(found)


def in_child(ghosts):
    way = deathbed.prepare("raise")
    facts = {"ghosts": ghosts, "native": native_thread()}
    deathbed.die(way, others=[], facts=facts)


def main():
    LOCK.acquire()
    started = [threading.Thread(target=sleeper, name=f"ghost-{n}", daemon=True) for n in range(2)]
    for one in started:
        one.start()
    deathbed.gather(2)
    ghosts = [[one.ident, one.name] for one in started]
    child = ctypes.PyDLL(None).fork()  # without os.fork(), which would delete their states
    if child == 0:
        in_child(ghosts)
    os.waitpid(child, 0)


if __name__ == "__main__":
    main()
