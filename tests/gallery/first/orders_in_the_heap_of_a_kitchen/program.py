# SPDX-License-Identifier: Apache-2.0
"""A kitchen's heap of orders: the waiter's thread pushes by heapq, the cook looks at the heap."""

import heapq
import os
import threading
import time
from pathlib import Path

OPENS_IN = 1800.0


class Kitchen:
    """The orders, the soonest first."""

    def __init__(self):
        self.orders = []

    def take_orders(self):
        """The waiter: the first guests come when the doors open."""
        orders = self.orders
        time.sleep(OPENS_IN)
        heapq.heappush(orders, (3, "soup"))
        heapq.heappush(orders, (1, "tea"))

    def wait_for_order(self):
        """The cook: returns the soonest order."""
        while not self.orders:
            time.sleep(0.5)
        return heapq.heappop(self.orders)


def main():
    kitchen = Kitchen()
    threading.Thread(target=kitchen.take_orders, name="waiter", daemon=True).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    print(kitchen.wait_for_order())


if __name__ == "__main__":
    main()
