# SPDX-License-Identifier: Apache-2.0
"""Records a signal in blocks, looks for crossings, and reports them above the baseline."""

import math
from trace import Trace

from triggers import Baseline, Trigger

BLOCK = 65536


def blocks(count):
    for number in range(count):
        yield [math.sin((number * BLOCK + place) / 900) for place in range(BLOCK)]


def main():
    trace = Trace()
    trigger = Trigger(0.8)
    baseline = None
    for block in blocks(8):
        start = len(trace)
        trace.extend(block)
        with memoryview(trace) as view:
            trigger.look(view[start:], start)
        if baseline is None:
            baseline = Baseline(trace, 4096)
    print("crossings", len(trigger.crossings))
    print("baseline %.4f" % baseline.mean())


if __name__ == "__main__":
    main()
