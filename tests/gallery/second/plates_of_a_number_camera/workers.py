# SPDX-License-Identifier: Apache-2.0
"""Workers that read number plates."""

import multiprocessing
import os

fork = multiprocessing.get_context("fork")


class PlateWorker(fork.Process):
    def __init__(self, frames, plates):
        super().__init__(daemon=True)
        self.frames = frames
        self.plates = plates

    def run(self):
        while True:
            frame = self.frames.get()
            if frame is None:
                return
            self.plates.put((os.getpid(), self.read_plate(frame)))

    @staticmethod
    def read_plate(frame):
        number, shade = divmod(sum(frame), 997)
        return f"K-{number % 10}{shade:03d}"
