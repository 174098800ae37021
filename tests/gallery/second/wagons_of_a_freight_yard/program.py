# SPDX-License-Identifier: Apache-2.0
"""Wagons of a freight yard come as a msgpack document and are put on tracks."""

import msgpack
import tracks


def announce(trains):
    wagons = {
        f"{train}-{place}": [train, place, f"load of wagon {place}", 12.5 + place]
        for train in range(trains)
        for place in range(30)
    }
    return msgpack.packb(wagons)


class Yard:
    def __init__(self, number_of_tracks):
        self.tracks = [[None] * 30 for _ in range(number_of_tracks)]
        self.wagons = {}

    def receive(self, announcement):
        self.wagons = msgpack.unpackb(announcement)

    def shunt(self):
        for number, name in enumerate(self.wagons):
            track = self.tracks[number % len(self.tracks)]
            tracks.assign(track, number // len(self.tracks) % 30, self.wagons, name)

    def clear(self):
        for track in self.tracks:
            track[:] = [None] * 30

    def report(self):
        return msgpack.packb(list(self.wagons.values()))


def main():
    yard = Yard(number_of_tracks=8)
    for day in range(200):
        yard.receive(announce(trains=5))
        yard.shunt()
        yard.clear()
        print(day, len(yard.report()))


if __name__ == "__main__":
    main()
