# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "collecting-0", "arguments": ["0"]}
# corpus: {"name": "collecting-1", "arguments": ["1"]}
# corpus: {"name": "collecting-2", "arguments": ["2"]}
# corpus: {"name": "collecting-callback", "arguments": ["2", "callback"]}
"""Die in a garbage collection of the generation that the second argument names."""

import gc
import sys

import deathbed


class Circle:
    def __init__(self):
        self.me = self


class Doomed(Circle):
    def __del__(self):
        deathbed.die(WAY, facts=FACTS)


def callback(phase, info):
    if phase == "start":
        deathbed.die(WAY, facts=FACTS)


def main(generation, how):
    gc.disable()
    gc.set_threshold(702, 13, 14)
    gc.set_debug(gc.DEBUG_UNCOLLECTABLE)
    gc.collect()
    gc.collect(1)  # the counts of the older generations are not 0
    gc.collect(0)
    gc.garbage.extend(["one", "two", "three"])
    FACTS["gc"] = {
        "enabled": gc.isenabled(),
        "threshold": list(gc.get_threshold()),
        "garbage": len(gc.garbage),
        "generation": generation,
        "debug": ["UNCOLLECTABLE"],
    }
    if how:
        gc.callbacks.append(callback)
        FACTS["gc"]["generation"] = None
    else:
        Doomed()
    gc.collect(generation)


FACTS = {}
WAY = deathbed.prepare("raise")

if __name__ == "__main__":
    main(int(sys.argv[2]), sys.argv[3:])
