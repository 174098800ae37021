# SPDX-License-Identifier: Apache-2.0
"""Evaluate the strain that a recorder writes while trains pass a bridge."""

import logging
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy

log = logging.getLogger("bridge")
HERE = Path(__file__).parent


class Recorder:
    """The process that samples the gauges."""

    def __init__(self, path):
        self.path = path
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "recorder.py"), str(path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def await_line(self):
        return self._process.stdout.readline().strip()

    def next_train(self):
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self.await_line()


class Signals(threading.Thread):
    """Tells the interlocking every second that the evaluation lives."""

    def __init__(self):
        super().__init__(daemon=True)
        self.beats = 0

    def run(self):
        while True:
            self.beats += 1
            time.sleep(1)


class Passage:
    def __init__(self, path):
        self.samples = numpy.memmap(path, dtype=numpy.float64, mode="r")

    def peak(self):
        return float(self.samples[:1000].max())

    def fatigue(self, window=4096):
        """Return the sum of the ranges in all windows."""
        shaped = self.samples[: len(self.samples) // window * window].reshape(-1, window)
        return float((shaped.max(axis=1) - shaped.min(axis=1)).sum())


def main():
    logging.basicConfig(level=logging.INFO)
    Signals().start()
    recorder = Recorder(HERE / "strain.dat")
    log.info("recorder: %s", recorder.await_line())
    passage = Passage(recorder.path)
    log.info("%d samples, peak %.2f", len(passage.samples), passage.peak())
    log.info("recorder: %s", recorder.next_train())
    log.info("fatigue %.1f", passage.fatigue())


if __name__ == "__main__":
    main()
