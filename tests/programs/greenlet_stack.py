# SPDX-License-Identifier: Apache-2.0
# corpus: {"packages": ["greenlet"], "oldest": [3, 9], "newest": [3, 14]}
"""Die in a greenlet above whose stack that of its thread has been used again since.

It starts deep in calls of C; its thread comes back, makes other calls in the same place, and
switches to it again: what lies above its stack is then nobody's call.
"""

import json

import deathbed
import greenlet

MAIN = greenlet.getcurrent()


def deep(number, action):
    """Call through C, so that each call takes room on the C stack."""
    return list(map(lambda _: deep(number - 1, action), [0])) if number else action()


def started(way):
    MAIN.switch()
    inner(2, way)


def inner(number, way):
    if number:
        return list(map(inner, [number - 1], [way]))
    deathbed.die(way)


def main(way):
    one = greenlet.greenlet(started)
    deep(10, lambda: one.switch(way))
    json.loads("[" * 60 + "]" * 60)
    deep(7, lambda: json.dumps([[1] * 10] * 10))
    deep(3, one.switch)


if __name__ == "__main__":
    main(deathbed.prepare("raise"))
