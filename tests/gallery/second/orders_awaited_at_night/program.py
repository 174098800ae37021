# SPDX-License-Identifier: Apache-2.0
"""A bakery takes orders over a socket; the baker works on them as they come in."""

import os
import queue
import socket
import threading


class Bakery:
    def __init__(self):
        self.orders = queue.Queue()
        self.counter = socket.create_server(("127.0.0.1", 0))
        self.baked = []

    def take_orders(self):
        """Let customers in, one after the other, and pass on what they want."""
        while True:
            customer, _ = self.counter.accept()
            with customer, customer.makefile("rw") as talk:
                for line in talk:
                    self.orders.put(line.strip())
                talk.write("thank you\n")

    def bake(self):
        while True:
            order = self.orders.get()
            self.baked.append(order)
            self.orders.task_done()
            print("baked", order, flush=True)
            if len(self.baked) == 3:
                with open("ready", "w") as file:
                    file.write("%d\n" % os.getpid())


def main():
    bakery = Bakery()
    threading.Thread(target=bakery.take_orders, name="counter", daemon=True).start()
    with socket.create_connection(bakery.counter.getsockname()) as customer:
        customer.sendall(b"rye bread\nfour rolls\nplum cake\n")
        customer.shutdown(socket.SHUT_WR)
        customer.recv(100)
    bakery.bake()


main()
