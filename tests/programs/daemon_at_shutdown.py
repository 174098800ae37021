# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "daemon_at_shutdown"}
"""Die in __del__ while the interpreter tears its modules down, with a daemon thread left over."""

import sys
import threading
import types

import deathbed


class Doomed:
    def __init__(self):
        self.way = deathbed.prepare("raise")
        self.circle = self  # only the collector, or the tear-down, gets at it

    def __del__(self, die=deathbed.die):
        die(self.way, others=[])  # what is left of the other thread depends on the version


def left_over():
    deathbed.parked.append(1)
    threading.Event().wait()


# Not in this module: the daemon's frame keeps what this one holds.
sys.modules["doom"] = types.ModuleType("doom")
sys.modules["doom"].kept = Doomed()
threading.Thread(target=left_over, name="left over", daemon=True).start()
deathbed.gather(1)
