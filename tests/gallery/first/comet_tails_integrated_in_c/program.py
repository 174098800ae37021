# SPDX-License-Identifier: Apache-2.0
"""An observatory's job runner: the dust tail of a comet is integrated in C by a thread of the pool,
while the main thread tells how far it has come."""

import concurrent.futures
import ctypes
import datetime
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GRAINS = 4000
STEPS = 400_000_000

library = ctypes.CDLL(os.path.join(HERE, "dusttail.so"))
library.tail_new.restype = ctypes.c_void_p
library.tail_new.argtypes = [ctypes.c_int, ctypes.c_int64]
library.tail_integrate.restype = ctypes.c_int64
library.tail_integrate.argtypes = [ctypes.c_void_p, ctypes.c_double]
library.tail_progress.restype = ctypes.c_int64
library.tail_progress.argtypes = [ctypes.c_void_p]
library.tail_length.restype = ctypes.c_double
library.tail_length.argtypes = [ctypes.c_void_p]


class Comet:
    def __init__(self, name, perihelion, grains):
        self.name, self.perihelion, self.grains = name, perihelion, grains


class Tail:
    """A tail of grains, kept by the library."""

    def __init__(self, comet, steps):
        self.comet, self.steps = comet, steps
        self.handle = library.tail_new(comet.grains, steps)

    def integrate(self, days):
        return library.tail_integrate(self.handle, days)

    @property
    def share_done(self):
        return library.tail_progress(self.handle) / self.steps

    def length(self):
        return library.tail_length(self.handle)


class Runner:
    def __init__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="integrator")

    def start(self, tail):
        return self.pool.submit(tail.integrate, 0.01)

    def follow(self, tail, job):
        """Tell of the progress until the job is done."""
        while True:
            try:
                return job.result(timeout=0.7)
            except concurrent.futures.TimeoutError:
                print(f"{tail.comet.name}: {100 * tail.share_done:.5f} %", flush=True)


def main():
    comet = Comet("C/1995 O1", datetime.date(1997, 4, 1), GRAINS)
    tail = Tail(comet, STEPS)
    runner = Runner()
    job = runner.start(tail)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    steps = runner.follow(tail, job)
    print(steps, "steps, tail of", tail.length(), "au")
    return 0


if __name__ == "__main__":
    sys.exit(main())
