# SPDX-License-Identifier: Apache-2.0
"""The sound of each video is extracted by a converter, which prints where it put the result."""

import os
import subprocess
import sys
import threading
import time

CONVERTER = """
import sys
for frame in range(6000):
    sys.stderr.write("frame=%6d fps=25 q=2.0 size=%8dkB\\n" % (frame, frame * 3))
sys.stderr.flush()
print("/media/out/" + sys.argv[1] + ".ogg")
"""


class Extractor:
    def __init__(self):
        self.results = {}

    def extract(self, video):
        converter = subprocess.Popen(
            [sys.executable, "-c", CONVERTER, video],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        for line in converter.stdout:
            self.results[video] = line.strip()
        complaints = converter.stderr.read()
        if converter.wait():
            raise RuntimeError(complaints)
        return self.results[video]


def tell():
    time.sleep(1.0)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threading.Thread(target=tell).start()
    extractor = Extractor()
    for video in ("harvest", "wedding"):
        print(extractor.extract(video))


main()
