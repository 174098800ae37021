# SPDX-License-Identifier: Apache-2.0
"""Shelves of a shop are counted at night; a lock in Redis keeps two shops from one shelf."""

import os
import socketserver
import threading
from pathlib import Path

import redis


class Keyspace(socketserver.StreamRequestHandler):
    """As much of a Redis server as the count asks for."""

    keys = {}

    def handle(self):
        while True:
            head = self.rfile.readline()
            if not head:
                return
            words = []
            for _ in range(int(head[1:])):
                size = int(self.rfile.readline()[1:])
                words.append(self.rfile.read(size + 2)[:-2])
            self.wfile.write(self.answer(words))

    def answer(self, words):
        name = words[0].upper()
        if name == b"SET":
            if b"NX" in words and words[1] in self.keys:
                return b"$-1\r\n"
            self.keys[words[1]] = words[2]
            return b"+OK\r\n"
        if name == b"INCRBY":
            value = int(self.keys.get(words[1], b"0")) + int(words[2])
            self.keys[words[1]] = b"%d" % value
            return b":%d\r\n" % value
        return b"+OK\r\n"


class Stocktaking:
    def __init__(self, client):
        self.client = client

    def guarded(self, shelf):
        return self.client.lock(f"lock:{shelf}")

    def count_shelf(self, shelf, boxes):
        with self.guarded(shelf):
            for box in boxes:
                self.client.incrby(f"count:{shelf}", box)
            if sum(boxes) > 40:
                self.recount(shelf)

    def recount(self, shelf):
        with self.guarded(shelf):
            self.client.set(f"count:{shelf}", 0)


def main():
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Keyspace)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="keyspace", daemon=True).start()
    stocktaking = Stocktaking(redis.Redis(port=server.server_address[1]))
    Path("ready").write_text(f"{os.getpid()}\n")
    stocktaking.count_shelf("tins", [12, 6, 8])
    stocktaking.count_shelf("jars", [24, 24, 12])
    print("counted")


if __name__ == "__main__":
    main()
