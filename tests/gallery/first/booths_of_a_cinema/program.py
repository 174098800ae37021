# SPDX-License-Identifier: Apache-2.0
"""Sells tickets of a cinema from several booths; the lock of a file says which one accepts."""

import fcntl
import os
import socket
import time


class Booth:
    def __init__(self, listener, mutex):
        self.listener, self.mutex = listener, mutex
        self.sold = 0

    def next_customer(self):
        fcntl.flock(self.mutex, fcntl.LOCK_EX)
        try:
            customer, _ = self.listener.accept()
        finally:
            fcntl.flock(self.mutex, fcntl.LOCK_UN)
        return customer

    def sell(self):
        while True:
            with self.next_customer() as customer:
                customer.sendall(b"row %d\n" % (self.sold // 20))
                self.sold += 1


def open_booth(listener):
    pid = os.fork()
    if pid == 0:
        with open("booth.lock", "w") as mutex:
            Booth(listener, mutex).sell()
        os._exit(0)
    return pid


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    open_booth(listener)
    time.sleep(0.5)
    second = open_booth(listener)
    with open("ready", "w") as file:
        file.write('{"pid": %d}\n' % second)
    os.waitpid(-1, 0)


main()
