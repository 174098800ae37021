# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "perf-trampolines", "oldest": [3, 12], "arguments": ["perf"]}
# corpus: {"name": "perf-trampolines-off", "oldest": [3, 12], "arguments": ["off"]}
"""Die with the trampolines of `-X perf` between calls of the eval loop, or without them."""

import contextlib
import os
import sys

import deathbed


def inner(way):
    deathbed.die(way)


def called(number, way):
    return [inner, None][number](way)  # a call that the specialiser does not turn into a jump


def outer(way):
    return list(map(called, (0,), (way,)))


if __name__ == "__main__":
    way = deathbed.prepare("string-at")
    if sys.argv[2] == "perf":
        with contextlib.suppress(ValueError, OSError):  # not built in; no /tmp
            sys.activate_stack_trampoline("perf")
            with contextlib.suppress(OSError):
                os.unlink(f"/tmp/perf-{os.getpid()}.map")
    outer(way)
