# SPDX-License-Identifier: Apache-2.0
"""Settles the day's payments; only one node may do it, as a key in the cache server says."""

import os
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path


class CacheClient:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self.replies = self.socket.makefile("rb")

    def call(self, *words):
        packed = [f"*{len(words)}\r\n".encode()]
        packed += [b"$%d\r\n%s\r\n" % (len(word), word) for word in map(str.encode, words)]
        self.socket.sendall(b"".join(packed))
        head = self.replies.readline().rstrip()
        if head[:1] == b"$" and head != b"$-1":
            return self.replies.readline().rstrip().decode()
        return None if head == b"$-1" else head[1:].decode()


class LeaseLock:
    """A lock of all nodes: whoever has set the key has it."""

    def __init__(self, client, name, sleep=0.01):
        self.client = client
        self.name = name
        self.sleep = sleep
        self.token = uuid.uuid4().hex
        self.refused = 0

    def acquire_lease(self):
        while self.client.call("SET", self.name, self.token, "NX") != "OK":
            self.refused += 1
            time.sleep(self.sleep)

    def __enter__(self):
        self.acquire_lease()
        return self

    def __exit__(self, *_):
        if self.client.call("GET", self.name) == self.token:
            self.client.call("DEL", self.name)


def settle_payments(payments):
    return sum(cents for _, cents in payments)


def main():
    server = subprocess.Popen([sys.executable, "cache.py"], stdout=subprocess.PIPE, text=True)
    client = CacheClient(int(server.stdout.readline()))
    Path("ready").write_text(f"{os.getpid()}\n")
    with LeaseLock(client, "lock:settlement:2024-05-02"):
        print(settle_payments([("kiosk", 1200), ("bakery", 340)]))


if __name__ == "__main__":
    main()
