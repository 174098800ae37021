# SPDX-License-Identifier: Apache-2.0
"""Keeps the video streams of a car park open while somebody looks at them."""

import collections
import os
import threading
import time
from pathlib import Path


class Statistics:
    def __init__(self):
        self.frames = collections.Counter()


class Stream:
    """A camera's stream, read by a thread of its own."""

    def __init__(self, camera, on_frames):
        self.camera = camera
        self._closing = threading.Event()
        self._reader = threading.Thread(
            target=read_frames, args=(camera, on_frames, self._closing), name=f"reader-{camera}"
        )
        self._reader.start()

    def close(self):
        self._closing.set()
        self._reader.join()

    def __del__(self):
        self.close()


def read_frames(camera, on_frames, closing):
    frames = 0
    while not closing.wait(0.01):
        frames += 1
    on_frames(camera, frames)


class Streams:
    """The few streams that were looked at last."""

    def __init__(self, most):
        self.most = most
        self.statistics = Statistics()
        self._open = collections.OrderedDict()
        self._lock = threading.Lock()

    def _count(self, camera, frames):
        with self._lock:
            self.statistics.frames[camera] += frames

    def look(self, camera):
        with self._lock:
            stream = self._open.pop(camera, None) or Stream(camera, self._count)
            self._open[camera] = stream
            while len(self._open) > self.most:
                self._open.popitem(last=False)
            return stream.camera


def main():
    streams = Streams(most=2)
    for camera in ("gate", "ramp", "gate"):
        print(streams.look(camera), flush=True)
        time.sleep(0.05)
    Path("ready").write_text(f"{os.getpid()}\n")
    for camera in ("roof", "gate", "exit"):
        print(streams.look(camera), flush=True)
        time.sleep(0.05)
    print(streams.statistics.frames)


if __name__ == "__main__":
    main()
