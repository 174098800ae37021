# SPDX-License-Identifier: Apache-2.0
"""The group membership of a consumer: heartbeats and the assignment of partitions."""

import logging
import threading

log = logging.getLogger(__name__)


class Coordinator:
    def __init__(self, channel, metrics, interval=0.2):
        self.channel = channel
        self.metrics = metrics
        self.interval = interval
        self.generation = 0
        self.partitions = set()
        self._lock = threading.RLock()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
        metrics.gauge("assigned-partitions", self.assigned)

    def start(self):
        self._thread.start()

    def assigned(self):
        with self._lock:
            return len(self.partitions)

    def ensure_joined(self):
        with self._lock:
            if not self.partitions:
                self.generation += 1
                self.partitions = {0, 1, 2, 5}
                log.info("joined generation %d", self.generation)
            return frozenset(self.partitions)

    def _run(self):
        while not self._closing.wait(self.interval):
            self._beat()

    def _beat(self):
        with self._lock:
            self.channel.sendall(b"HEARTBEAT %d\n" % self.generation)
            answer = self.channel.recv(64)
            if answer.strip() == b"REBALANCE":
                self.partitions.clear()
            self.metrics.count("heartbeats")
