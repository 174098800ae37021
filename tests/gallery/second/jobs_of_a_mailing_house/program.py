# SPDX-License-Identifier: Apache-2.0
"""A daemon that prints letters; SIGTERM ends it without losing a job."""

import os
import queue
import signal
import threading
from pathlib import Path


class Press(threading.Thread):
    def __init__(self, house):
        super().__init__(name="press")
        self.house = house
        self.printed = 0

    def run(self):
        try:
            while not self.house.ending.is_set():
                try:
                    self.house.letters.get(timeout=0.1)
                except queue.Empty:
                    continue
                self.printed += 1
        finally:
            self.park()

    def park(self):
        """Leave the paper in as long as somebody may still open the lid."""
        self.house.stopped.wait()
        Path("parked").write_text("yes")


class House:
    def __init__(self):
        self.letters = queue.Queue()
        self.ending = threading.Event()
        self.stopped = threading.Event()
        self.press = Press(self)

    def start(self):
        signal.signal(signal.SIGTERM, self.on_term)
        self.press.start()

    def on_term(self, signum, frame):
        self.ending.set()

    def serve(self):
        while not self.ending.wait(0.2):
            self.letters.put("letter")

    def stop(self):
        self.press.join()
        self.stopped.set()


def humidity():
    while True:
        threading.Event().wait(0.5)
        Path("humidity").write_text("46")


def main():
    house = House()
    threading.Thread(target=humidity, name="humidity", daemon=True).start()
    house.start()
    threading.Timer(0.6, os.kill, (os.getpid(), signal.SIGTERM)).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    house.serve()
    house.stop()


if __name__ == "__main__":
    main()
