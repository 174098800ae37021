# SPDX-License-Identifier: Apache-2.0
"""A limiter of requests takes tokens that a thread refills."""

import os
import threading
import time


class Limiter:
    def __init__(self):
        self.tokens = 2
        self.refilled = threading.Condition()

    def refill(self):
        for rate in (5, 0):
            time.sleep(0.1 / rate)
            with self.refilled:
                self.tokens += 1
                self.refilled.notify()

    def take(self):
        with self.refilled:
            while self.tokens < 1:
                self.refilled.wait(0.5)
            self.tokens -= 1


limiter = Limiter()
threading.Thread(target=limiter.refill, daemon=True, name="refill").start()
for number in range(20):
    if number == 3:
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
    limiter.take()
