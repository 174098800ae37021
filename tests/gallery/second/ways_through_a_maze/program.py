# SPDX-License-Identifier: Apache-2.0
"""Ways of a robot through a long corridor: each way is its last step and the way before it."""


class Corridor:
    def __init__(self, length):
        self.length = length
        self.seen = set()

    def steps(self, place):
        yield place + 1
        if place % 1000 == 999:
            yield place + 2

    def ways(self):
        way, place = (0, None), 0
        while place < self.length:
            place = max(self.steps(place))
            way = (place, way)
            if place % 1000 == 1:
                yield way


def known(corridor, way):
    if way in corridor.seen:
        return True
    corridor.seen.add(way)
    return False


def main():
    for length in (4000, 500000):
        corridor = Corridor(length)
        last = None
        for way in corridor.ways():
            last = way
        print(length, last[0], flush=True)
        print(known(corridor, last), flush=True)


main()
