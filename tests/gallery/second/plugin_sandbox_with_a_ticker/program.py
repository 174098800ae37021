# SPDX-License-Identifier: Apache-2.0
"""Runs plugins in interpreters of their own; a plugin may leave a ticker behind."""

import _xxsubinterpreters as interpreters
import time

PLUGIN = """
import threading, time

ticks = []

def tick():
    while True:
        ticks.append(time.monotonic())
        time.sleep(0.05)

ticker = threading.Thread(target=tick, name="ticker", daemon=True)
ticker.start()
"""


class Sandbox:
    def __init__(self, name, source):
        self.name = name
        self.source = source
        self.id = interpreters.create()

    def run(self):
        interpreters.run_string(self.id, self.source)

    def close(self):
        interpreters.destroy(self.id)


def main():
    quiet = Sandbox("quiet", "total = sum(range(1000))")
    quiet.run()
    quiet.close()
    clock = Sandbox("clock", PLUGIN)
    clock.run()
    time.sleep(0.4)
    clock.close()
    print("closed")


main()
