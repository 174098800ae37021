# SPDX-License-Identifier: Apache-2.0
"""An importer of drone footage: clips are decoded side by side, as many as the memory allows."""

import logging
import os
import queue
import sys
import threading
import zlib

logging.basicConfig(
    level=logging.INFO, format="%(asctime)s %(threadName)s %(message)s", stream=sys.stdout
)
log = logging.getLogger("importer")
PER_DECODER = 512  # megabytes


class Budget:
    """How much memory this container may use, and how many decoders that makes."""

    def __init__(self, megabytes):
        self.megabytes = megabytes

    @property
    def decoders(self):
        return self.megabytes // PER_DECODER


class Importer:
    def __init__(self, budget, clips):
        self.grants = threading.Semaphore(budget.decoders)
        self.clips = queue.Queue()
        for clip in clips:
            self.clips.put(clip)
        self.frames = {}

    def decode(self, name, packed):
        with self.grants:
            frames = zlib.decompress(packed)
            self.frames[name] = zlib.crc32(frames)
            log.info("%s: %d bytes", name, len(frames))

    def work(self):
        while True:
            try:
                name, packed = self.clips.get_nowait()
            except queue.Empty:
                return
            self.decode(name, packed)
            self.clips.task_done()

    def run(self, hands):
        crew = [threading.Thread(target=self.work, name=f"hand-{n}") for n in range(hands)]
        for hand in crew:
            hand.start()
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        self.clips.join()
        return self.frames


def footage():
    for flight in range(9):
        yield f"flight-{flight}.raw", zlib.compress(bytes([flight]) * 200_000)


def main():
    budget = Budget(int(os.environ.get("IMPORT_MEMORY_MB", "384")))
    log.info("budget of %d MB", budget.megabytes)
    importer = Importer(budget, footage())
    log.info("done: %s", importer.run(3))


main()
