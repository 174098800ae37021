# SPDX-License-Identifier: Apache-2.0
"""A beekeeper weighs the hives: a pool of native threads reads, requests come over a socket."""

import ctypes
import os
import selectors
import socket


def load():
    library = ctypes.CDLL(os.path.abspath("hivepool.so"))
    library.hive_pool_start.restype = ctypes.c_void_p
    for name in ("hive_pool_descriptor", "hive_pool_done"):
        getattr(library, name).argtypes = [ctypes.c_void_p]
    library.hive_pool_submit.argtypes = [ctypes.c_void_p, ctypes.c_int]
    return library


class Apiary:
    def __init__(self, threads=4):
        self.library = load()
        self.pool = self.library.hive_pool_start(threads)
        self.selector = selectors.DefaultSelector()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.events = self.library.hive_pool_descriptor(self.pool)
        self.selector.register(self.socket, selectors.EVENT_READ, self.on_request)
        self.selector.register(self.events, selectors.EVENT_READ, self.on_weighed)
        self.asked = self.weighed = 0

    def on_request(self):
        data, _ = self.socket.recvfrom(1500)
        for hive in data:
            if not self.library.hive_pool_submit(self.pool, hive):
                print("pool is full: hive", hive)
            self.asked += 1

    def on_weighed(self):
        self.weighed += int.from_bytes(os.read(self.events, 8), "little")
        if self.weighed == self.asked:
            print("all %d hives weighed" % self.weighed, flush=True)
            self.announce()

    def announce(self):
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    def serve(self):
        while True:
            for key, _ in self.selector.select():
                key.data()


def main():
    apiary = Apiary()
    keeper = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    keeper.sendto(bytes(range(12)), apiary.socket.getsockname())
    apiary.serve()


main()
