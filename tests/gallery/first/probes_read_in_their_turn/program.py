# SPDX-License-Identifier: Apache-2.0
"""Probes in a borehole share a cable: each reads when the one above it has finished."""

import json
import os
import threading
import time


class Probe(threading.Thread):
    def __init__(self, depth):
        super().__init__(name=f"probe-{depth}m", daemon=True)
        self.depth = depth
        self.turn = threading.Lock()
        self.turn.acquire()
        self.below = None
        self.readings = []

    def measure(self):
        time.sleep(0.15)
        return 8.5 + self.depth * 0.03 + len(self.readings) % 7 * 0.01

    def run(self):
        while True:
            self.turn.acquire()
            self.readings.append(round(self.measure(), 2))
            del self.readings[:-50]
            self.below.turn.release()


def lower_probes(depths):
    probes = [Probe(depth) for depth in depths]
    for probe, below in zip(probes, probes[1:] + probes[:1]):
        probe.below = below
    return probes


def main():
    probes = lower_probes([10, 20, 40, 80])
    for probe in probes:
        probe.start()
    probes[0].turn.release()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    for probe in probes:
        probe.join()


main()
