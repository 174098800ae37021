# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in a sub-interpreter that runs on the main thread, with another one idle beside it."""

import json
import os
import sys

import deathbed

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

SCRIPT = """
import json, sys
sys.path.insert(0, {folder!r})
sys.argv = {argv!r}
import deathbed
def inside_sub(way, others):
    deathbed.die(way, others=others, interpreter={number})
inside_sub(deathbed.prepare("raise"), json.loads({others!r}))
"""


def run(target):
    """Run the script there."""
    folder = os.path.dirname(os.path.abspath(__file__))

    def script():
        # Called in the line of run_string: the line told of the caller is the line of the call.
        outer = deathbed.thread(deathbed.stack(sys._getframe(1)))
        text = json.dumps([outer])
        return SCRIPT.format(folder=folder, argv=sys.argv, number=int(target), others=text)

    interpreters.run_string(target, script())


if __name__ == "__main__":
    # Up to 3.12 these are objects that end their interpreter when they go.
    idle, used = interpreters.create(), interpreters.create()
    run(used)
