# SPDX-License-Identifier: Apache-2.0
import queue

import pulsecard


class Counter:
    def __init__(self):
        self.counts = queue.Queue()

    def on_pulses(self, count):
        self.counts.put(count)

    def rates(self, number):
        pulsecard.start(self.on_pulses)
        last = 0
        for _ in range(number):
            count = self.counts.get()
            yield count - last
            last = count


print(list(Counter().rates(50)))
