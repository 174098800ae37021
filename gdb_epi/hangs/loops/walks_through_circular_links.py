# SPDX-License-Identifier: Apache-2.0
"""Walks through folders that links lead back into: the paths that they are at go in a circle.

With one way back a walk ends when the kernel refuses the fortieth link of a path
(path_resolution(7)). With two or more the number of paths doubles at each of them, and no walk
comes to the end of those.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from gdb_epi.hangs.types import SECONDS_OF_YEAR

MAX_LINKS = 40  # of one path
MANY = 15  # times that a path came through one place
PER_SECOND = 10**5  # folders that a walk reads, at most
_CIRCULAR = re.compile(r"((?:/[^/]+){1,4}?)\1{5}")


def is_circular(path: str) -> bool:
    """Tell whether a path goes through the same folders again and again."""
    return _CIRCULAR.search(path) is not None


def years_of_walk(path: str) -> float:
    """Return how long a walk takes that is at a path, at least: 0.0 where that need not be long.

    From one place it came back there by several ways: by each of them several times.
    """
    if not is_circular(path):
        return 0.0
    parts = path.strip("/").split("/")
    place, times = Counter(parts).most_common(1)[0]
    before = Counter(first for first, second in pairwise(parts) if second == place)
    ways = sum(number > 1 for number in before.values())
    if times < MANY or ways < 2:
        return 0.0
    return float(ways**MAX_LINKS) / PER_SECOND / SECONDS_OF_YEAR
