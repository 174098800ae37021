# SPDX-License-Identifier: Apache-2.0
"""Queue.join() waits for tasks that a worker took and, after an error, never reported as done."""

import os
import queue
import threading


def read_price(line):
    return int(line.split("=")[1])


def worker(tasks, prices):
    while True:
        line = tasks.get()
        try:
            prices.append(read_price(line))
        except ValueError:
            continue
        tasks.task_done()


def wait_for_import(tasks):
    tasks.join()


def main():
    tasks, prices = queue.Queue(), []
    for number in range(2):
        threading.Thread(
            target=worker, args=(tasks, prices), name=f"import-{number}", daemon=True
        ).start()
    for line in ("a=1", "b=2", "c=three", "d=4"):
        tasks.put(line)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    wait_for_import(tasks)


main()
