# SPDX-License-Identifier: Apache-2.0
"""A foreman gives jobs to workers and calls back those that take too long."""

import ctypes
import logging
import queue
import threading
import time

log = logging.getLogger("foreman")


class Recalled(Exception):
    """The job is to be given up."""


class ThreadControl:
    """Raises an exception in another thread."""

    def __init__(self):
        library = ctypes.CDLL(None)
        self._raise_in = library.PyThreadState_SetAsyncExc
        self._raise_in.argtypes = [ctypes.c_ulong, ctypes.py_object]
        self._raise_in.restype = ctypes.c_int

    def recall(self, thread):
        reached = self._raise_in(thread.ident, Recalled)
        if reached != 1:
            raise ValueError(f"{thread.name} is not there")


class Worker(threading.Thread):
    def __init__(self, name, jobs):
        super().__init__(name=name, daemon=True)
        self._jobs = jobs
        self.begun = None
        self.done = []

    def run(self):
        while True:
            title, stones = self._jobs.get()
            self.begun = time.monotonic()
            try:
                for _ in range(stones):
                    time.sleep(0.01)
                self.done.append(title)
            except Recalled:
                log.info("%s gave up %s", self.name, title)
            finally:
                self.begun = None
                self._jobs.task_done()


class Foreman:
    def __init__(self, names, patience):
        self.jobs = queue.Queue()
        self.patience = patience
        self.control = ThreadControl()
        self.workers = [Worker(name, self.jobs) for name in names]

    def open_site(self):
        for worker in self.workers:
            worker.start()

    def overdue(self):
        now = time.monotonic()
        for worker in self.workers:
            begun = worker.begun
            if begun is not None and now - begun > self.patience:
                yield worker

    def supervise(self):
        while self.jobs.unfinished_tasks:
            for worker in self.overdue():
                log.info("recalling %s", worker.name)
                self.control.recall(worker)
            time.sleep(0.05)


def main():
    logging.basicConfig(level=logging.INFO)
    foreman = Foreman(["Mason", "Hewer", "Carter"], patience=0.6)
    foreman.open_site()
    for title, stones in (("kerb", 10), ("arch", 20), ("tower", 400), ("step", 5)):
        foreman.jobs.put((title, stones))
    foreman.supervise()
    print({worker.name: worker.done for worker in foreman.workers})


if __name__ == "__main__":
    main()
