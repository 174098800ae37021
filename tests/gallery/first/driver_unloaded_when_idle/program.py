# SPDX-License-Identifier: Apache-2.0
"""Jobs query a warehouse through a driver that is unloaded when nothing needs it."""

import _ctypes
import ctypes
import os
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Drivers:
    def __init__(self):
        self.loaded = {}

    def get(self, name):
        if name not in self.loaded:
            self.loaded[name] = ctypes.CDLL(os.path.join(HERE, name + ".so"))
        return self.loaded[name]

    def unload_idle(self):
        while self.loaded:
            _, library = self.loaded.popitem()
            _ctypes.dlclose(library._handle)


class StockJob(threading.Thread):
    def __init__(self, drivers):
        super().__init__(name="stock")
        self.drivers = drivers
        self.counted = threading.Event()
        self.printed = threading.Event()
        self.rows = 0

    def run(self):
        self.rows = self.drivers.get("warehouse").count_rows(b"stock")
        self.counted.set()
        self.printed.wait()


def nightly(drivers):
    job = StockJob(drivers)
    job.start()
    job.counted.wait()
    drivers.unload_idle()
    print("stock:", job.rows, "rows", flush=True)
    job.printed.set()
    job.join()


def main():
    drivers = Drivers()
    for _ in range(3):
        nightly(drivers)
        time.sleep(3)


main()
