# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in __del__ while the interpreter tears its modules down."""

import deathbed


class Doomed:
    def __init__(self):
        self.way = deathbed.prepare("raise")
        self.circle = self  # only the collector, or the tear-down, gets at it

    def __del__(self, die=deathbed.die):
        # Nothing but this thread is left by now; threading may be half gone.
        die(self.way, others=[])


doomed = Doomed()
