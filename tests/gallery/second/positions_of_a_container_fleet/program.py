# SPDX-License-Identifier: Apache-2.0
"""Follows the positions of a fleet of container ships from a topic of a message broker."""

import logging
import os
import socket
import threading
import time
from pathlib import Path

from coordinator import Coordinator
from metrics import Metrics, Reporter


class Broker(threading.Thread):
    """Stands in for the broker's group protocol."""

    def __init__(self, channel):
        super().__init__(name="broker", daemon=True)
        self.channel = channel

    def run(self):
        while self.channel.recv(256):
            time.sleep(0.3)  # the way to another continent and back
            self.channel.sendall(b"OK\n")


class PositionConsumer:
    def __init__(self, coordinator, metrics):
        self.coordinator = coordinator
        self.metrics = metrics
        self.positions = {}

    def poll(self, timeout):
        partitions = self.coordinator.ensure_joined()
        time.sleep(timeout)
        return [(f"MSKU{p:07d}", (51.9 + p, 4.1 - p)) for p in sorted(partitions)]

    def run(self):
        while True:
            for container, position in self.poll(0.05):
                self.positions[container] = position


def main():
    logging.basicConfig(level=logging.INFO)
    ours, theirs = socket.socketpair()
    metrics = Metrics()
    coordinator = Coordinator(ours, metrics)
    Broker(theirs).start()
    Reporter(metrics, every=0.15).start()
    coordinator.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    PositionConsumer(coordinator, metrics).run()


if __name__ == "__main__":
    main()
