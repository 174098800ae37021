# SPDX-License-Identifier: Apache-2.0
"""Records the strain of a bridge; begins its file anew for each train."""

import array
import math
import sys
import time


def train(axles, samples):
    return array.array("d", (math.sin(i / 50) * axles for i in range(samples)))


def main(path):
    with open(path, "wb") as tape:
        for _ in range(16):
            train(32, 65536).tofile(tape)
    print("recorded", flush=True)
    sys.stdin.readline()
    with open(path, "wb") as tape:
        train(8, 4096).tofile(tape)
        tape.flush()
        print("next train", flush=True)
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1])
