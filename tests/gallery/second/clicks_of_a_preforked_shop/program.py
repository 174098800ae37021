# SPDX-License-Identifier: Apache-2.0
"""A shop's server forks its workers; clicks are counted and sent in the background."""

import os
import socket
import sys
import threading
import time

CLICKS = None


class ClickSink:
    """Keeps counts and sends them to the collector as lines of statsd."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.address = address
        self.mutex = threading.Lock()
        self.counts = {}
        threading.Thread(target=self.send_often, name="clicks", daemon=True).start()

    def count(self, name, by=1):
        with self.mutex:
            self.counts[name] = self.counts.get(name, 0) + by

    def send_often(self):
        while True:
            with self.mutex:
                for name, number in self.counts.items():
                    self.socket.sendto(b"%s:%d|c" % (name.encode(), number), self.address)
                    time.sleep(0.02)
            time.sleep(0.001)


class Worker:
    def __init__(self, listener):
        self.listener = listener
        self.served = 0

    def serve(self):
        CLICKS.count(f"worker.{os.getpid()}.started")
        while True:
            customer, _ = self.listener.accept()
            with customer:
                customer.sendall(b"HTTP/1.0 204 No Content\r\n\r\n")
            self.served += 1
            CLICKS.count("requests")


def warm_up():
    for page in ("home", "basket", "search", "help", "terms", "offers"):
        for _ in range(2):
            CLICKS.count(f"warm.{page}")


def main():
    global CLICKS
    collector = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    collector.bind(("127.0.0.1", 0))
    CLICKS = ClickSink(collector.getsockname())
    warm_up()
    listener = socket.create_server(("127.0.0.1", 0))
    time.sleep(0.1)
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            Worker(listener).serve()
            sys.exit(0)
        children.append(child)
    with open("ready", "w") as file:
        file.write(f"{children[0]}\n")
    for child in children:
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
