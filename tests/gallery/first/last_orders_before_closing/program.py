# SPDX-License-Identifier: Apache-2.0
"""A bar's clerk takes orders from a queue until a signal closes the bar."""

import os
import queue
import signal


class Bar:
    def __init__(self):
        self.orders = queue.Queue()

    def close(self, *_):
        self.orders.put(None)

    def serve(self):
        while True:
            order = self.orders.get()
            if order is None:
                return
            print(order)


def main():
    bar = Bar()
    signal.signal(signal.SIGTERM, bar.close)
    bar.orders.put("soda")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    bar.serve()


main()
