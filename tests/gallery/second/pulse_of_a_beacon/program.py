# SPDX-License-Identifier: Apache-2.0
"""A beacon counts its own pulses for Prometheus, by an interval timer."""

import time

import beat
from prometheus_client import Counter, generate_latest

pulses = Counter("beacon_pulses", "Pulses of the beacon")


class Beacon:
    def __init__(self, period):
        self.period = period

    def light(self):
        beat.every(self.period, pulses.inc)

    def watch(self, seconds):
        while seconds > 0:
            time.sleep(1)
            seconds -= 1


def main():
    beacon = Beacon(period=0.05)
    beacon.light()
    beacon.watch(seconds=5)
    print(generate_latest().decode())


if __name__ == "__main__":
    main()
