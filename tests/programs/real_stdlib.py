# SPDX-License-Identifier: Apache-2.0
# forks: {"name": "real-logging-handler", "arguments": ["logging"]}
# forks: {"name": "real-stdout", "arguments": ["stdout"]}
# forks: {"name": "real-import", "arguments": ["importing"]}
# forks: {"name": "real-resource-tracker", "arguments": ["tracker"]}
# forks: {"name": "real-sqlite", "arguments": ["sqlite"]}
# forks: {"name": "real-pool", "arguments": ["pool"]}
# forks: {"name": "real-executor", "arguments": ["executor"]}
# forks: {"name": "real-preexec", "arguments": ["preexec"]}
# forks: {"name": "real-healthy-logging", "arguments": ["healthy"]}
"""Known bugs of the class, with the standard library's own code on both sides of the lock.

Reported as python/cpython issues 80714 and 81610 (logging), 84579 and ansible 79522 (stdout), 93580
(import), 96971 (resource tracker), 79448 (multiprocessing.Pool), 105464 (executor), 82756
(preexec_fn); SQLite forbids to use a connection after a fork. Each race is won by a slow reader:
the thread that holds the lock waits for a full pipe, a callback or a hook.
"""

import ctypes
import fcntl
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import deathbed
import forkbed


def fill(descriptor):
    """Write into a pipe that nobody reads until it takes no more byte."""
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    for size in (4096, 1):
        try:
            while True:
                os.write(descriptor, b"\n" * size)
        except BlockingIOError:
            pass
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)


def full_pipe():
    """Return the writing end of a full pipe; the reading end stays open."""
    pipe = os.pipe()
    fill(pipe[1])
    return pipe[1]


def start(function):
    """Start the thread that is to hold the lock; wait until it sits still."""
    threading.Thread(target=function, name="holder", daemon=True).start()
    time.sleep(0.2)
    deathbed.gather(0)


def slow_log():
    logging.basicConfig(stream=open(full_pipe(), "w"), level=logging.INFO)

    def report():
        logging.info("from the thread")

    start(report)


def log_in_child():
    """A fork in C runs no hook of Python, so logging makes no new lock in the child."""
    slow_log()
    forkbed.hang_in_child(lambda: logging.info("from the child"), fork=ctypes.PyDLL(None).fork,
                          bypass=True, hold="report")  # fmt: skip


def healthy():
    """os.fork() runs logging's hook: the child has a lock of its own."""
    slow_log()

    def child():
        logging.getLogger().handlers[0].acquire()
        logging.getLogger().handlers[0].release()
        forkbed.sleep_for_good()

    forkbed.hang_in_child(child)


def printing():
    os.dup2(full_pipe(), 1)

    def progress():
        print("from the thread", flush=True)

    start(progress)


def print_in_child():
    printing()
    forkbed.hang_in_child(lambda: print("from the child", flush=True), hold="progress")


def import_in_child():
    def hook(event, arguments):
        if event == "import" and arguments[0] == "email.mime.nonmultipart":
            forkbed.park()

    def load():
        import email.mime.text

    def load_in_child():
        import email.mime.text

    sys.addaudithook(hook)
    forkbed.spawn(load, "holder")
    forkbed.hang_in_child(load_in_child, hold="load")


def track_in_child():
    """The tracker does not read: whoever asks whether it lives waits with its lock held."""
    from multiprocessing import resource_tracker as module

    tracker = module._resource_tracker
    tracker.ensure_running()
    pid = tracker._pid
    os.kill(pid, signal.SIGSTOP)
    fill(tracker._fd)

    def share():
        module.register("/of-the-thread", "semaphore")

    start(share)
    try:
        forkbed.hang_in_child(lambda: module.register("/of-the-child", "semaphore"), hold="share")
    finally:
        os.kill(pid, signal.SIGKILL)


def query_in_child():
    base = sqlite3.connect(":memory:", check_same_thread=False)
    base.create_function("slow", 0, forkbed.park)

    def query():
        base.execute("select slow()").fetchall()

    forkbed.spawn(query, "holder")
    forkbed.hang_in_child(lambda: base.execute("select 1").fetchall(), hold="query")


def pool_in_child():
    """A multiprocessing.Pool of the parent: its threads, which pass the work on, did not come."""
    import multiprocessing

    pool = multiprocessing.get_context("fork").Pool(1)
    pool.apply(len, ("",))
    deathbed.gather(0)
    try:
        forkbed.hang_in_child(lambda: pool.apply(len, ("",)), verdict="lost-wakeup")
    finally:
        pool.terminate()


def submit_in_child():
    """What asyncio's run_in_executor() and many libraries keep: one executor for the process."""
    from concurrent.futures import ThreadPoolExecutor

    executor = ThreadPoolExecutor(1, thread_name_prefix="shared")
    executor.submit(len, "").result()
    deathbed.gather(0)
    forkbed.hang_in_child(lambda: list(executor.map(len, ["text"])), verdict="lost-wakeup")


def print_before_exec():
    """The parent waits in Popen() for the child, so a thread looks after both."""
    printing()
    ours, theirs = os.pipe()

    def watch():
        pid = int(os.read(ours, 64))
        vanished = [one for one in forkbed.others() if one["name"] == "holder"]
        forkbed.end(pid, [*vanished, forkbed.own()], handlers="preexec", hold="progress")
        os._exit(0)

    def announce():
        os.write(theirs, str(os.getpid()).encode())
        print("before exec", flush=True)

    threading.Thread(target=watch, name="watcher", daemon=True).start()
    subprocess.Popen([sys.executable, "-c", ""], preexec_fn=announce)


SCENES = {
    "logging": log_in_child,
    "healthy": healthy,
    "stdout": print_in_child,
    "importing": import_in_child,
    "tracker": track_in_child,
    "sqlite": query_in_child,
    "pool": pool_in_child,
    "executor": submit_in_child,
    "preexec": print_before_exec,
}


def main():
    SCENES[sys.argv[2]]()
    os._exit(0)  # threads that hold a lock, or wait for a full pipe, are not joined


if __name__ == "__main__":
    main()
