# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "faulting-segv", "arguments": ["memmove"], "bench": true}
# corpus: {"name": "faulting-abort", "arguments": ["abort"], "bench": true}
"""Die with faulthandler switched on: its dump stands in fault.txt beside the truth.

Functions of a class, of functions and of the module are on the stack, whose qualified names differ.
"""

import faulthandler
import os
import sys

import deathbed


class Step:
    """A class, for a qualified name with a dot."""

    def run(self, way):
        def within(way):
            deathbed.die(way)

        within(way)


def outer(way):
    Step().run(way)


if __name__ == "__main__":
    dump = open(os.path.join(os.path.dirname(deathbed.TRUTH), "fault.txt"), "w")
    faulthandler.enable(dump)
    outer(deathbed.prepare(sys.argv[2]))
