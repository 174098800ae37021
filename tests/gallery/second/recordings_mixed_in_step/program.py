# SPDX-License-Identifier: Apache-2.0
"""Mixes the voices of a choir bar by bar: no voice may be a bar ahead of the others."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

VOICES = ("soprano", "alto", "tenor", "bass")
WORKERS = 3
BARS = 40


class Mix:
    def __init__(self, voices):
        self.levels = {voice: [] for voice in voices}
        self.end_of_bar = threading.Barrier(len(voices))

    def follow(self, voice):
        for bar in range(BARS):
            self.levels[voice].append((bar * 7 + len(voice)) % 11)
            self.end_of_bar.wait()
        return sum(self.levels[voice])


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    mix = Mix(VOICES)
    with ThreadPoolExecutor(max_workers=WORKERS, thread_name_prefix="mixer") as pool:
        parts = [pool.submit(mix.follow, voice) for voice in VOICES]
        threading.Timer(0.5, tell).start()
        print(sum(part.result() for part in parts))


main()
