# SPDX-License-Identifier: Apache-2.0
"""Uploads clips of dash cameras: the encoder announces a clip, the uploader sends it."""

import os
import threading
import time
from pathlib import Path


class Relay:
    def __init__(self):
        self.changed = threading.Condition()
        self.clips = []
        self.sent = []

    def encode(self, rides):
        for ride in range(rides):
            time.sleep(0.05)
            with self.changed:
                self.clips.append((ride, bytes(4096)))
                self.changed.notify()

    def upload(self, rides):
        self.log_in()
        while len(self.sent) < rides:
            with self.changed:
                self.changed.wait()
                clips, self.clips = self.clips, []
            for ride, clip in clips:
                time.sleep(0.12)
                self.sent.append((ride, len(clip)))

    def log_in(self):
        time.sleep(0.2)


def gps(stop):
    while not stop.wait(0.25):
        Path("position").write_text("48.2 16.4")


def main():
    relay, stop = Relay(), threading.Event()
    threading.Thread(target=gps, args=(stop,), name="gps", daemon=True).start()
    encoder = threading.Thread(target=relay.encode, args=(12,), name="encoder")
    uploader = threading.Thread(target=relay.upload, args=(12,), name="uploader")
    Path("ready").write_text(f"{os.getpid()}\n")
    encoder.start()
    uploader.start()
    encoder.join()
    uploader.join()
    stop.set()


if __name__ == "__main__":
    main()
