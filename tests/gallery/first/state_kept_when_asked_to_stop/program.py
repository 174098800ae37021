# SPDX-License-Identifier: Apache-2.0
"""A collector of meter readings that keeps an image of itself when the service manager stops it."""

import os
import queue
import signal
import threading


class Collector:
    def __init__(self):
        self.readings, self.totals = queue.Queue(), {}

    def keep_image(self, number, frame):
        print("stopped by the service manager:", signal.Signals(number).name, flush=True)
        signal.signal(signal.SIGABRT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGABRT)

    def sum_up(self):
        while True:
            meter, value = self.readings.get()
            self.totals[meter] = self.totals.get(meter, 0) + value
            self.readings.task_done()

    def wait_until_stopped(self):
        signal.signal(signal.SIGTERM, self.keep_image)
        while True:
            signal.pause()


def main():
    collector = Collector()
    threading.Thread(target=collector.sum_up, name="sums", daemon=True).start()
    for value in range(10):
        collector.readings.put(("water", value))
    collector.readings.join()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    collector.wait_until_stopped()


main()
