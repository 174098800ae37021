# SPDX-License-Identifier: Apache-2.0
"""Plays a list of streams and keeps a guide of what was on."""

import faulthandler
import time

import netmeter


class Programme:
    __slots__ = ("title",)

    def __init__(self, title):
        self.title = title

    def __lt__(self, other):
        return self.title < other.title


class Player:
    def __init__(self):
        self.guide = []

    def play(self, number):
        stream = netmeter.Stream()
        time.sleep(0.02)
        received = stream.stop()
        self.guide.extend(Programme("%d: part %d" % (number, part)) for part in range(200))
        return received


def main():
    faulthandler.enable()
    player = Player()
    total = 0
    for number in range(60):
        total += player.play(number)
        player.guide.sort()
        names = {}
        for programme in player.guide:
            names.setdefault(programme.title[:2], []).append(programme)
    print(total, len(names))


if __name__ == "__main__":
    main()
