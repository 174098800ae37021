# SPDX-License-Identifier: Apache-2.0
"""Records a little from a sound card whose driver calls back from a thread of its own."""

import os
import time
from pathlib import Path

import soundcard


class Recorder:
    def __init__(self):
        self.levels = []

    def on_block(self, level):
        self.levels.append(level)

    def record(self, seconds):
        soundcard.start(self.on_block)
        time.sleep(seconds)
        soundcard.stop()
        return max(self.levels)


if __name__ == "__main__":
    Path("ready").write_text(f"{os.getpid()}\n")
    print(Recorder().record(0.5))
