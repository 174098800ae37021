# SPDX-License-Identifier: Apache-2.0
# forks: {"name": "multiprocessing-fork", "arguments": ["fork"]}
# forks: {"name": "multiprocessing-spawn", "arguments": ["spawn"]}
# forks: {"name": "multiprocessing-forkserver", "arguments": ["forkserver"]}
"""A healthy child of multiprocessing, by each start method; the parent has a second thread."""

import multiprocessing
import os
import sys
import time

import forkbed


def task():
    open("ready", "w").close()
    time.sleep(600)


def main():
    method = sys.argv[2]
    forkbed.spawn(forkbed.park, "idle")
    child = multiprocessing.get_context(method).Process(target=task, name="task")
    child.start()
    if method == "spawn":
        facts = {"forked": False, "depth": 0, "multithreaded": None, "from_main": None,
                 "bypass": None}  # fmt: skip
    else:
        facts = {"multithreaded": method == "fork"}
    vanished = forkbed.others() if method == "fork" else []
    while not os.path.exists("ready"):  # a spawned child sleeps now and then while it starts
        time.sleep(0.01)
    forkbed.await_rest(child.pid)
    forkbed.testify(child.pid, vanished, method=method, **facts)
    forkbed.abort(child.pid)
    while child.is_alive():
        time.sleep(0.02)
    os._exit(0)


if __name__ == "__main__":
    main()
