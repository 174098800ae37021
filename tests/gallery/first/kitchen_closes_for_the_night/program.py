# SPDX-License-Identifier: Apache-2.0
"""Three cooks, threads of a pool, take orders from a queue until the kitchen closes."""

import os
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

CLOSED = None


def cook(orders, served):
    while True:
        order = orders.get()
        if order is CLOSED:
            return
        served.append((threading.current_thread().name, order.upper()))


def run_kitchen(dishes, cooks=3):
    orders, served = queue.Queue(), []
    with ThreadPoolExecutor(max_workers=cooks, thread_name_prefix="cook") as kitchen:
        for _ in range(cooks):
            kitchen.submit(cook, orders, served)
        for dish in dishes:
            orders.put(dish)
    for _ in range(cooks):
        orders.put(CLOSED)
    return served


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threading.Timer(1.0, tell).start()
    served = run_kitchen(["ravioli", "dal", "ramen", "pho"])
    print("served", len(served))


main()
