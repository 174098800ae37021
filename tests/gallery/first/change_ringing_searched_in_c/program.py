# SPDX-License-Identifier: Apache-2.0
"""A composer of bell changes: a long search in C, asked for over a little job queue."""

import ctypes
import os
import queue
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Job:
    bells: int
    length: int
    rounds: int
    best: int = 0
    done: threading.Event = field(default_factory=threading.Event)


class Composer:
    def __init__(self):
        self.library = ctypes.CDLL(os.path.abspath("peal.so"))
        self.library.search_touch.restype = ctypes.c_long
        self.library.search_touch.argtypes = [
            ctypes.c_int, ctypes.c_long, ctypes.c_char_p, ctypes.c_long,
            ctypes.POINTER(ctypes.c_long),
        ]  # fmt: skip
        self.visited = ctypes.c_ulong.in_dll(self.library, "visited")
        self.jobs = queue.Queue()
        self.lock = threading.Lock()

    def compose(self, job):
        rung = ctypes.create_string_buffer(3628800 // 8 + 1)
        best = ctypes.c_long(0)
        with self.lock:  # the library keeps its random state in a static variable
            job.best = self.library.search_touch(
                job.bells, job.length, rung, job.rounds, ctypes.byref(best)
            )
        job.done.set()

    def work(self):
        while True:
            self.compose(self.jobs.get())


def progress(composer):
    while True:
        time.sleep(2)
        print("rows tried:", composer.visited.value, flush=True)


def main():
    composer = Composer()
    for number in range(2):
        threading.Thread(target=composer.work, name=f"composer-{number}", daemon=True).start()
    short = Job(6, 720, 20)
    composer.jobs.put(short)
    short.done.wait()
    print("best of six bells:", short.best, flush=True)
    threading.Thread(target=progress, args=(composer,), name="progress", daemon=True).start()
    peals = [Job(10, 3000000, 10_000_000), Job(9, 362880, 10_000_000)]
    for job in peals:
        composer.jobs.put(job)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for job in peals:
        job.done.wait()
        print(job.bells, "bells:", job.best, flush=True)


if __name__ == "__main__":
    main()
