# SPDX-License-Identifier: Apache-2.0
"""A kitchen takes orders from a queue that a manager process keeps for all counters."""

import multiprocessing
import os
import socket
import threading


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def take_orders(listener, orders):
    while True:
        guest, _ = listener.accept()
        with guest:
            orders.put(guest.makefile().readline().strip())


def cook(orders, dishes):
    while True:
        order = orders.get()
        dishes[order] = dishes.get(order, 0) + 1


def main():
    with multiprocessing.get_context("spawn").Manager() as manager:
        orders = manager.Queue()
        listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(
            target=take_orders, args=(listener, orders), name="counter", daemon=True
        ).start()
        with socket.create_connection(listener.getsockname()) as guest:
            guest.sendall(b"soup\n")
        threading.Timer(1.0, tell).start()
        cook(orders, {})


if __name__ == "__main__":
    main()
