# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "at_exit-atexit", "arguments": ["atexit"]}
# corpus: {"name": "at_exit-hook", "arguments": ["hook"]}
# corpus: {"name": "at_exit-unraisable", "arguments": ["unraisable"]}
# corpus: {"name": "at_exit-display", "arguments": ["display"]}
"""Die in what runs outside of any Python caller: atexit, excepthook, unraisablehook."""

import atexit
import sys
import threading

import deathbed


class Own(Exception):
    pass


class Failing:
    def __del__(self):
        raise Own("in a destructor")


def sleeper():
    deathbed.parked.append(1)
    threading.Event().wait()


def main(kind):
    way = deathbed.prepare("raise")
    threading.Thread(target=sleeper, daemon=True).start()
    deathbed.gather(1)
    if kind == "atexit":
        atexit.register(lambda value, *, key: deathbed.die(value), way, key=1)
    elif kind == "hook":
        sys.excepthook = lambda kind, error, lines: deathbed.die(way)
        raise Own("not caught")
    elif kind == "unraisable":
        sys.unraisablehook = lambda unraisable: deathbed.die(way)
        failing = Failing()
        del failing
    elif kind == "display":
        sys.displayhook = lambda value: deathbed.die(way)
        exec(compile("1 + 1", "<stdin>", "single"))


if __name__ == "__main__":
    main(sys.argv[2])
