# SPDX-License-Identifier: Apache-2.0
# corpus: {"arguments": ["4000"]}
# corpus: {"name": "deep-100000", "arguments": ["100000"], "bench": true}
"""Die as many Python frames deep as the second argument says.

Runs in a thread with a large stack: up to 3.10 each Python call takes a piece of the C stack.
"""

import sys
import threading

import deathbed


def down(depth, way):
    if depth == 0:
        deathbed.die(way)
    down(depth - 1, way)


def start(depth):
    way = deathbed.prepare("raise")
    deathbed.gather(0)
    down(depth, way)


if __name__ == "__main__":
    depth = int(sys.argv[2])
    sys.setrecursionlimit(depth + 1000)
    threading.stack_size(1 << 29)
    worker = threading.Thread(target=start, args=(depth,), name="deep")
    worker.start()
    worker.join()
