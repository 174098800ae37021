# SPDX-License-Identifier: Apache-2.0
"""A canal lock: one crew fills and empties the chamber, another one watches its level."""

import os
import queue
import threading
import time

import gate


class Signals:
    """Shows the skippers what the gate tells."""

    def __init__(self):
        self.changes = queue.Queue()

    def level_changed(self, level):
        self.changes.put(round(level, 2))


class Crew(threading.Thread):
    def __init__(self, locks):
        super().__init__(name="crew")
        self.locks = locks

    def run(self):
        for metres in self.locks:
            gate.fill(metres)


class Watch(threading.Thread):
    def __init__(self):
        super().__init__(name="watch", daemon=True)
        self.highest = 0.0

    def run(self):
        while True:
            time.sleep(0.03)
            self.highest = max(self.highest, gate.level())


class Skipper(threading.Thread):
    def __init__(self, signals):
        super().__init__(name="skipper", daemon=True)
        self.signals = signals
        self.seen = []

    def run(self):
        while True:
            self.seen.append(self.signals.changes.get())


def main():
    signals = Signals()
    gate.listen(signals.level_changed)
    Skipper(signals).start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    crew = Crew([3.2, -3.2] * 12)
    Watch().start()
    crew.start()
    crew.join()


if __name__ == "__main__":
    main()
