# SPDX-License-Identifier: Apache-2.0
"""Two worker processes wait for jobs in a queue; the core is of one of them."""

import multiprocessing
import os
import time


def work(jobs):
    while True:
        jobs.get()


def main():
    multiprocessing.set_start_method("fork")
    jobs = multiprocessing.SimpleQueue()
    workers = [multiprocessing.Process(target=work, args=(jobs,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    time.sleep(0.5)
    with open("ready.new", "w") as file:
        file.write(f"{workers[0].pid}\n")
    os.rename("ready.new", "ready")
    time.sleep(600)


main()
