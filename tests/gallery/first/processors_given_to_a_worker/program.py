# SPDX-License-Identifier: Apache-2.0
"""Spreads the workers of a renderer over the processors that the scheduler lets them have."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
ROOM = 128  # bytes of a cpu_set_t


class Worker:
    def __init__(self, number):
        self.number = number
        self.load = ctypes.c_ulong(number)
        self.mask = ctypes.c_ulong()
        self.limit = ctypes.c_ulong(1 << 20)

    def ask(self):
        answer = libc.sched_getaffinity(0, ctypes.c_size_t(ROOM), ctypes.byref(self.mask))
        if answer < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return bin(self.mask.value).count("1")

    def share(self):
        return min(self.load.value * 1000, self.limit.value)


def main():
    workers = [Worker(number) for number in range(200)]
    print(sum(worker.share() for worker in workers), flush=True)
    processors = [worker.ask() for worker in workers[100:110]]
    print(max(processors) > 0, flush=True)
    print(sum(worker.share() for worker in workers), flush=True)
    for worker in workers:
        worker.load = ctypes.c_ulong(worker.number + 1)
    print(sum(worker.share() for worker in workers))


main()
