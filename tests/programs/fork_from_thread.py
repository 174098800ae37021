# SPDX-License-Identifier: Apache-2.0
# forks: {"name": "from-thread", "arguments": ["waiting"]}
# forks: {"name": "from-thread-main-holds", "arguments": ["holding"]}
# forks: {"name": "from-thread-two", "arguments": ["two"]}
"""A worker thread forks; the main thread is among those that vanish."""

import os
import sys
import threading

import deathbed
import forkbed

lock = threading.Lock()


def hold():
    with lock:
        forkbed.park()


def take():
    with lock:
        pass


def work():
    deathbed.gather(2 if sys.argv[2] == "two" else 1)
    sleeps = sys.argv[2] == "waiting"
    child = forkbed.sleep_for_good if sleeps else take
    forkbed.hang_in_child(child, from_main=False, hold=None if sleeps else "hold")
    os._exit(0)


def main():
    if sys.argv[2] == "two":
        threading.Thread(target=forkbed.park, name="idle", daemon=True).start()
    threading.Thread(target=work, name="forker").start()
    hold()


if __name__ == "__main__":
    main()
