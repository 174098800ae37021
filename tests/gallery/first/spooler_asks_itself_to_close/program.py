# SPDX-License-Identifier: Apache-2.0
"""A print spooler with a loop of its own; the last job of the evening closes the spooler."""

import os
import queue
import threading


class Spooler:
    def __init__(self):
        self.jobs = queue.Queue()
        self.wanted = True
        self.over = threading.Event()

    def run_jobs(self):
        try:
            while self.wanted:
                job = self.jobs.get()
                job()
        finally:
            self.over.set()

    def close(self):
        self.wanted = False
        self.over.wait()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    spooler = Spooler()
    spooler.jobs.put(lambda: print("page 1"))
    spooler.jobs.put(lambda: print("page 2"))
    spooler.jobs.put(tell)
    spooler.jobs.put(spooler.close)
    spooler.run_jobs()


main()
