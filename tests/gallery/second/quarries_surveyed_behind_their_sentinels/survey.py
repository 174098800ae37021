# SPDX-License-Identifier: Apache-2.0
"""The survey of a quarry: the volume between two surfaces, by sampling."""

import random
import time


def survey(site, seconds, pipe):
    pipe.send("begun")
    chance = random.Random(site)
    until = time.monotonic() + seconds
    inside = tried = 0
    while time.monotonic() < until:
        for _ in range(10000):
            x, y, z = chance.random(), chance.random(), chance.random()
            inside += z < 0.3 + 0.4 * x * y
            tried += 1
    pipe.send(round(inside / max(tried, 1), 4))
    pipe.close()
