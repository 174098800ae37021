# SPDX-License-Identifier: Apache-2.0
# forks: {"name": "healthy-pool-before-threads", "arguments": ["pool"]}
# forks: {"name": "healthy-idle-parent-threads", "arguments": ["idle"]}
# forks: {"name": "ended-threads", "arguments": ["ended"]}
# forks: {"name": "ended-threads-self-deadlock", "arguments": ["ended self"]}
# forks: {"name": "self-deadlock-with", "arguments": ["self with"]}
# forks: {"name": "self-deadlock-acquire", "arguments": ["self acquire"]}
# forks: {"name": "self-deadlock-rlock-thread", "arguments": ["thread rlock"]}
# forks: {"name": "order-deadlock-in-child", "arguments": ["order"]}
# forks: {"name": "order-deadlock-no-fork", "arguments": ["no fork"]}
# forks: {"name": "shared-memory-lock", "arguments": ["shared"]}
# forks: {"name": "reused-stacks", "arguments": ["reused"]}
# forks: {"name": "spinning-child", "arguments": ["spinning"]}
"""Forked children with nothing inherited in their way, though some of them hang."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time

import deathbed
import forkbed

first, second = threading.Lock(), threading.Lock()
recursive = threading.RLock()
kept = []


def run_threads(count, function=forkbed.park):
    """Start threads in the child, and wait until all have parked."""
    forkbed.parked.clear()
    for number in range(count):
        kept.append(threading.Thread(target=function, name=f"child {number}", daemon=True))
        kept[-1].start()
    deathbed.gather(count)


def pool():
    run_threads(2)
    forkbed.sleep_for_good()


def self_with():
    with first:
        with first:
            pass


def self_acquire():
    first.acquire()
    first.acquire()


def hold_recursive():
    with recursive:
        forkbed.park()


def thread_rlock():
    run_threads(1, hold_recursive)
    with recursive:
        pass


def opposite():
    with second:
        forkbed.parked.append(0)
        with first:
            pass


def order():
    with first:
        run_threads(1, opposite)
        with second:
            pass


def no_fork():
    """Start this program anew, which then deadlocks; nothing of this process is in it."""
    child = subprocess.Popen([sys.executable, __file__, sys.argv[1], "victim"])
    forkbed.end(child.pid, [], forked=False, depth=0, multithreaded=None, from_main=None,
                bypass=None)  # fmt: skip


def shared():
    lock = multiprocessing.get_context("fork").Lock()

    def hold():
        with lock:
            forkbed.park()

    def take():
        with lock:
            pass

    forkbed.spawn(hold, "holder")
    forkbed.hang_in_child(take)


def reused():
    run_threads(2)
    forkbed.sleep_for_good()


def spin():
    while True:
        pass


def ended(child):
    threads = [threading.Thread(target=len, args=("",)) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    tasks = "/proc/self/task"  # join() may return before the thread has left the C library
    while os.path.isdir(tasks) and len(os.listdir(tasks)) > 1:
        time.sleep(0.01)
    time.sleep(0.3)
    kept.extend(threads)
    forkbed.hang_in_child(child, before=list, multithreaded=False)


def main():
    scene = sys.argv[2]
    simple = {
        "pool": (pool, 0),
        "idle": (forkbed.sleep_for_good, 2),
        "self with": (self_with, 1),
        "self acquire": (self_acquire, 1),
        "thread rlock": (thread_rlock, 2),
        "order": (order, 2),
        "reused": (reused, 2),
    }
    if scene in simple:
        child, count = simple[scene]
        for number in range(count):
            forkbed.spawn(forkbed.park, f"idle {number}")
        forkbed.hang_in_child(child)
    elif scene == "spinning":
        forkbed.spawn(forkbed.park, "idle")
        forkbed.hang_in_child(spin, spinning=True, holds_gil=True)
    elif scene == "victim":
        order()
    elif scene == "no fork":
        no_fork()
    elif scene == "shared":
        shared()
    else:
        ended(self_with if scene == "ended self" else forkbed.sleep_for_good)
    os._exit(0)


if __name__ == "__main__":
    main()
