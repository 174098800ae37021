# SPDX-License-Identifier: Apache-2.0
"""Names of places and an index of their prefixes."""

import random
import time

SYLLABLES = ["ba", "ke", "lo", "mi", "nu", "ra", "se", "to", "vi", "wen"]


def names(number):
    return ["".join(random.choices(SYLLABLES, k=random.randint(2, 5))) for _ in range(number)]


def spread(name):
    """Yield every spelling with one letter doubled or left out."""
    yield name
    for place in range(len(name)):
        yield name[:place] + name[place] + name[place:]
        yield name[:place] + name[place + 1 :]


def build(every, seconds):
    """Return the index; go on refining it for a time."""
    until = time.monotonic() + seconds
    while True:
        index = {}
        for name in every:
            for spelling in spread(name):
                index.setdefault(spelling[:2], set()).add(name)
        index = {prefix: sorted(found) for prefix, found in index.items()}
        if time.monotonic() >= until:
            return index
