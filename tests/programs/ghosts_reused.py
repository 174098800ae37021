# SPDX-License-Identifier: Apache-2.0
# corpus: {"child": true}
"""Die in a child of a raw fork() whose threads live on the stacks of threads that vanished.

glibc gives them the same pthread_t: two thread states carry one ident.
"""

import ctypes
import os
import sys
import threading
import time

import deathbed

LOCK = threading.Lock()
told = []


def sleeper():
    deathbed.parked.append(threading.get_ident())
    LOCK.acquire()


def say(frame):
    """Tell of a thread that stays in the line that calls this."""
    told.append(deathbed.thread(deathbed.stack(frame)))
    return 900


def living():
    time.sleep(say(sys._getframe()))


def in_child(ghosts):
    for n in range(2):
        threading.Thread(target=living, name=f"living-{n}", daemon=True).start()
    deathbed.parked.clear()  # those of the parent
    while len(told) < 2:
        time.sleep(0.01)
    deathbed.gather(0)
    way = deathbed.prepare("raise")
    deathbed.die(way, others=told, facts={"ghosts": ghosts})


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
