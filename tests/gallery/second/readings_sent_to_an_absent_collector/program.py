# SPDX-License-Identifier: Apache-2.0
"""An exporter of electricity readings: samples meters and pushes them to a collector by ZeroMQ."""

import json
import logging
import os
import random
import socket
import threading
import time
from dataclasses import asdict, dataclass, field

import zmq

log = logging.getLogger("exporter")


@dataclass
class Reading:
    meter: str
    watts: float
    at: float = field(default_factory=time.time)


class Collector:
    """The address of the collector."""

    def __init__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def address(self):
        return f"tcp://127.0.0.1:{self.port}"


class Exporter:
    def __init__(self, address):
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.PUSH)
        self.socket.connect(address)
        self.queued = 0

    def send(self, reading):
        self.socket.send(json.dumps(asdict(reading)).encode())
        self.queued += 1

    def close(self):
        """Close the socket and end the context."""
        self.socket.close()
        self.context.term()


class Meter:
    def __init__(self, name, seed):
        self.name = name
        self.chance = random.Random(seed)

    def sample(self):
        return Reading(self.name, abs(self.chance.gauss(400, 120)))


class Statistics(threading.Thread):
    """Keeps the mean of what was read."""

    def __init__(self):
        super().__init__(name="statistics", daemon=True)
        self.fresh = []
        self.mean = 0.0

    def run(self):
        while True:
            time.sleep(0.5)
            if self.fresh:
                self.mean = sum(self.fresh) / len(self.fresh)


class Heartbeat(threading.Thread):
    def __init__(self, exporter):
        super().__init__(name="heartbeat", daemon=True)
        self.exporter = exporter

    def run(self):
        while True:
            time.sleep(10)
            log.info("queued %d", self.exporter.queued)


def export_hour(exporter, meters, statistics, rounds):
    for _ in range(rounds):
        for meter in meters:
            reading = meter.sample()
            statistics.fresh.append(reading.watts)
            exporter.send(reading)
        time.sleep(0.02)


def main():
    logging.basicConfig(level=logging.INFO)
    exporter = Exporter(Collector().address())
    statistics = Statistics()
    statistics.start()
    Heartbeat(exporter).start()
    meters = [Meter(f"meter-{number}", number) for number in range(4)]
    export_hour(exporter, meters, statistics, rounds=30)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    exporter.close()
    log.info("exported %d readings", exporter.queued)


if __name__ == "__main__":
    main()
