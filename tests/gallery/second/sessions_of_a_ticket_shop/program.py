# SPDX-License-Identifier: Apache-2.0
"""A ticket shop looks up the sessions of its customers in a cache."""

import os
import socket
from pathlib import Path

from pymemcache.client.base import Client


def run_cache(listener):
    listener.listen(16)
    held = []
    while True:
        connection, _ = listener.accept()
        held.append(connection)


class Shop:
    def __init__(self, address):
        self.cache = Client(address, no_delay=True)

    def session(self, cookie):
        found = self.cache.get(f"session:{cookie}")
        return found or b"anonymous"

    def basket(self, cookie):
        return self.cache.get_many([f"basket:{cookie}:{n}" for n in range(4)])


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        run_cache(listener)
    address = listener.getsockname()
    listener.close()
    shop = Shop(address)
    Path("ready").write_text(f"{os.getpid()}\n")
    print(shop.session("8f2c"), shop.basket("8f2c"))


if __name__ == "__main__":
    main()
