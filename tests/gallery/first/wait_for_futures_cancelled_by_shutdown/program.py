# SPDX-License-Identifier: Apache-2.0
"""An importer waits for the futures of its chunks; the stop button shuts the pool down with
cancel_futures=True. A cancelled future tells result() but never wait()."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait


class Importer:
    def __init__(self):
        self.pool = ThreadPoolExecutor(2, thread_name_prefix="chunk")
        self.chunks = []

    def load_chunk(self, number):
        time.sleep(0.3)
        return number * 1000

    def load(self, count):
        self.chunks = [self.pool.submit(self.load_chunk, n) for n in range(count)]
        return self.collect()

    def collect(self):
        done, _ = wait(self.chunks)
        return sum(each.result() for each in done if not each.cancelled())

    def on_stop(self):
        self.pool.shutdown(wait=True, cancel_futures=True)
        print("stopped")
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())


def main():
    importer = Importer()
    threading.Timer(0.1, importer.on_stop).start()
    print(importer.load(12), "rows")


main()
