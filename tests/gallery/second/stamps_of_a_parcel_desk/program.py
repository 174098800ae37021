# SPDX-License-Identifier: Apache-2.0
"""Parcel desk: stamps are drawn by a pool of threads, orders come in by a local socket."""

import os
import socket
import zlib
from multiprocessing.pool import ThreadPool


def draw_stamp(order):
    number, weight = order
    seal = zlib.crc32(b"%d:%d" % (number, weight))
    return f"{number:06d}-{seal:08x}"


class ParcelDesk:
    def __init__(self, path):
        self.pool = ThreadPool(4)
        self.stamps = []
        if os.path.exists(path):
            os.unlink(path)
        self.orders = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.orders.bind(path)

    def opening_batch(self):
        orders = [(number, 100 + number % 37) for number in range(200)]
        self.stamps.extend(self.pool.map(draw_stamp, orders))

    def serve(self):
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        while True:
            order = self.orders.recv(100)
            number, weight = order.split()
            self.pool.apply_async(
                draw_stamp, ((int(number), int(weight)),), callback=self.stamps.append
            )


def main():
    desk = ParcelDesk("orders.sock")
    desk.opening_batch()
    desk.serve()


main()
