# SPDX-License-Identifier: Apache-2.0
# forks: {"name": "fork-lock", "arguments": ["lock"]}
# forks: {"name": "fork-rlock", "arguments": ["rlock"]}
# forks: {"name": "fork-queue", "arguments": ["queue"]}
# forks: {"name": "fork-module-lock", "arguments": ["importing"]}
# forks: {"name": "fork-instance-lock", "arguments": ["instance"]}
# forks: {"name": "fork-stdout", "arguments": ["stdout"]}
# forks: {"name": "fork-semaphore", "arguments": ["semaphore"]}
# forks: {"name": "fork-four-threads", "arguments": ["four"]}
"""A thread holds a lock while another one forks; the child waits for that lock."""

import io
import os
import queue
import sys
import threading

import forkbed

lock = threading.Lock()
rlock = threading.RLock()
slots = threading.BoundedSemaphore(1)
jobs = queue.Queue()


class Account:
    """Something with a lock of its own."""

    def __init__(self):
        self._guard = threading.Lock()

    def hold(self):
        with self._guard:
            forkbed.park()

    def touch(self):
        with self._guard:
            return 1


account = Account()


def hold_lock():
    with lock:
        forkbed.park()


def hold_rlock():
    with rlock:
        forkbed.park()


def hold_queue():
    with jobs.mutex:
        forkbed.park()


def hold_semaphore():
    slots.acquire()
    forkbed.park()


def hold_import():
    import slow_to_import


def idle():
    forkbed.park()


class Full(io.RawIOBase):
    """A file whose write() does not come back."""

    def writable(self):
        return True

    def write(self, data):
        forkbed.park()


full = io.BufferedWriter(Full())


def hold_stdout():
    full.write(b"text")
    full.flush()


def take_lock():
    with lock:
        pass


def take_rlock():
    with rlock:
        pass


def take_import():
    import slow_to_import


SCENES = {
    "lock": (hold_lock, take_lock),
    "rlock": (hold_rlock, take_rlock),
    "queue": (hold_queue, lambda: jobs.put(1)),
    "importing": (hold_import, take_import),
    "instance": (account.hold, account.touch),
    "stdout": (hold_stdout, lambda: full.write(b"more")),
    "semaphore": (hold_semaphore, slots.acquire),
    "four": (hold_lock, take_lock),
}


def main():
    hold, take = SCENES[sys.argv[2]]
    if sys.argv[2] == "importing":
        folder = os.path.dirname(os.path.abspath(sys.argv[1]))
        with open(os.path.join(folder, "slow_to_import.py"), "w") as handle:
            handle.write("import forkbed\nforkbed.park()\n")
        sys.path.insert(0, folder)
    if sys.argv[2] == "four":
        for number in range(3):
            forkbed.spawn(idle, f"idle {number}")
    forkbed.spawn(hold, "holder")
    forkbed.hang_in_child(take, hold=hold.__name__)


if __name__ == "__main__":
    main()
