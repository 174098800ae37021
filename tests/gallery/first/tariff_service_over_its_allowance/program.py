# SPDX-License-Identifier: Apache-2.0
"""A tariff service answers from a cache; a guard ends it before the node runs out of memory."""

import os
import signal
import sys
import threading
import time

ALLOWANCE = 64 << 20
PAGE = os.sysconf("SC_PAGE_SIZE")


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * PAGE


class MemoryGuard(threading.Thread):
    """Looks at the resident size now and then; the container would be ended without a trace."""

    def __init__(self, allowance):
        super().__init__(name="memory-guard", daemon=True)
        self.allowance = allowance

    def run(self):
        while True:
            size = resident()
            if size > self.allowance:
                message = "resident size %d MiB is over the allowance of %d MiB"
                print(message % (size >> 20, self.allowance >> 20), file=sys.stderr, flush=True)
                os.kill(os.getpid(), signal.SIGABRT)
            time.sleep(0.05)


class Tariffs:
    def __init__(self):
        self.answers = {}

    def answer(self, customer, day):
        key = (customer, day, time.monotonic_ns())
        if key not in self.answers:
            self.answers[key] = self.compute(customer, day)
        return self.answers[key]

    def compute(self, customer, day):
        return ["%s-%d-%02d" % (customer, day, hour) for hour in range(24)]


def serve(tariffs):
    for number in range(10**9):
        tariffs.answer("customer-%d" % (number % 500), number % 365)


MemoryGuard(ALLOWANCE).start()
serve(Tariffs())
