# SPDX-License-Identifier: Apache-2.0
"""A developer's breakpoint() has stopped the main thread: it waits for a debugger to connect,
under a lock, and the worker waits for that lock.
"""

import os
import socket
import sys
import threading
import time


class RemoteDebugger:
    def __init__(self, port=0):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", port))
        self.listener.listen(1)

    def set_trace(self):
        print("debugger waits on port", self.listener.getsockname()[1], flush=True)
        self.wait_for_client()

    def wait_for_client(self):
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        client, _ = self.listener.accept()
        client.sendall(b"(Pdb) ")
        client.recv(100)
        client.close()


class Cart:
    def __init__(self):
        self.guard = threading.Lock()
        self.total = 0

    def add(self, price):
        with self.guard:
            self.total += price

    def apply_discount(self, percent):
        with self.guard:
            time.sleep(0.3)
            breakpoint()
            self.total -= self.total * percent // 100


def scan_goods(cart):
    time.sleep(0.1)
    for price in range(10):
        cart.add(price)


def main():
    sys.breakpointhook = RemoteDebugger().set_trace
    cart = Cart()
    scanner = threading.Thread(target=scan_goods, args=(cart,), name="scanner")
    scanner.start()
    cart.apply_discount(10)
    scanner.join()


main()
