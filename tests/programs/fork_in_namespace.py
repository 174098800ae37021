# SPDX-License-Identifier: Apache-2.0
"""Start a thread that holds a lock, fork when asked to, and stay; for dumps from outside.

namespaced.py FILE_THAT_SAYS_READY [fork]
"""

import os
import sys
import threading
import time

lock = threading.Lock()
held = threading.Event()


def hold():
    with lock:
        held.set()
        time.sleep(600)


def at_rest():
    """Wait until the other thread has slept for a while: a fork leaves what it was doing."""
    own = os.readlink("/proc/thread-self").rpartition("/")[2]  # numbers of /proc are those outside
    seen, same = None, 0
    while same < 10:
        time.sleep(0.01)
        now = []
        for task in os.listdir("/proc/self/task"):
            if task != own:
                with open("/proc/self/task/" + task + "/status") as status:
                    now += [line for line in status if line.startswith(("State", "vol"))]
        same = same + 1 if now == seen and "R (running)" not in str(now) else 0
        seen = now


def main():
    threading.Thread(target=hold, name="holder", daemon=True).start()
    held.wait()
    at_rest()
    if "fork" in sys.argv and os.fork():
        time.sleep(600)
    with open(sys.argv[1] + ".partial", "w") as handle:
        handle.write(os.readlink("/proc/self"))
    os.rename(sys.argv[1] + ".partial", sys.argv[1])
    time.sleep(600)


if __name__ == "__main__":
    main()
