# SPDX-License-Identifier: Apache-2.0
"""Flight data at fixed steps: the height between two records, frame by frame."""

import bisect
import os
from collections import namedtuple

Record = namedtuple("Record", "moment height")

# Nanoseconds since 1970, as the recorder writes them.
START = 1.7322048e18
RECORDS = [Record(START + second * 1e9, 9000.0 + second * 0.4) for second in range(120)]


def height_at(records, moments, moment):
    after = min(bisect.bisect_right(moments, moment), len(records) - 1)
    low, high = records[after - 1], records[after]
    share = (moment - low.moment) / (high.moment - low.moment)
    return low.height + share * (high.height - low.height)


def mean_height(records, begin, end, step):
    """Return the mean height between two moments."""
    moments = [record.moment for record in records]
    moment, frames, total = begin, 0, 0.0
    while moment < end:
        total += height_at(records, moments, moment)
        frames += 1
        moment += step
    return total / frames


def main():
    print("cruise %.1f" % mean_height(RECORDS, START, START + 9e9, 4e6))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for name, offset in (("shock", 41e9), ("gust", 77e9)):
        begin = START + offset
        print(name, "%.3f" % mean_height(RECORDS, begin, begin + 2e6, 80.0))


main()
