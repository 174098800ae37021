# SPDX-License-Identifier: Apache-2.0
"""A pump control with a watchdog of its own: no heartbeat for two seconds ends the process."""

import os
import signal
import threading
import time


class Pump:
    def __init__(self, name):
        self.name = name
        self.lock = threading.Lock()
        self.litres = 1000

    def move(self, other, litres, met):
        with self.lock:
            self.litres -= litres
            met.wait()
            with other.lock:
                other.litres += litres


class Watchdog(threading.Thread):
    def __init__(self):
        super().__init__(name="watchdog", daemon=True)
        self.beat = time.monotonic()

    def run(self):
        while time.monotonic() - self.beat < 2:
            time.sleep(0.1)
        print("no heartbeat", flush=True)
        os.kill(os.getpid(), signal.SIGABRT)


def main():
    north, south = Pump("north"), Pump("south")
    watchdog = Watchdog()
    watchdog.start()
    for minute in range(20):
        watchdog.beat = time.monotonic()
        met = threading.Barrier(1 if minute < 3 else 2)
        if minute >= 3:
            back = threading.Thread(target=south.move, args=(north, 5, met), name="back")
            back.start()
        north.move(south, 10, met)
        print(minute, north.litres, south.litres, flush=True)
        time.sleep(0.05)


main()
