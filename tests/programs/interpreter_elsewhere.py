# SPDX-License-Identifier: Apache-2.0
# corpus: {"newest": [3, 12]}
"""Die in a sub-interpreter that one thread made and another runs.

Up to 3.12 its thread state keeps the ident of the thread that made it.
"""

import json
import os
import sys
import threading
import time

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
told = []


def run(target):
    """Run the script there."""
    folder = os.path.dirname(os.path.abspath(__file__))

    def script():
        # Called in the line of run_string: the line told of the caller is the line of the call.
        told.append(deathbed.thread(deathbed.stack(sys._getframe(1))))
        text = json.dumps(told)
        return SCRIPT.format(folder=folder, argv=sys.argv, number=int(target), others=text)

    interpreters.run_string(target, script())


def main(target):
    thread = threading.Thread(target=run, args=(target,), name="runs it")

    def begin():
        told.append(deathbed.thread(deathbed.stack(sys._getframe(1))))
        thread.start()
        return 900

    time.sleep(begin())


if __name__ == "__main__":
    main(interpreters.create())
