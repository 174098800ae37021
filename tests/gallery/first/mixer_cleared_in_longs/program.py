# SPDX-License-Identifier: Apache-2.0
"""A sound mixer clears the levels of its channels; they were longs once and are shorts now."""

import ctypes

POINTS = 24


class Channel:
    __slots__ = ("name", "gain")

    def __init__(self, name, gain):
        self.name, self.gain = name, gain


class Mixer:
    def __init__(self, names):
        self.channels, self.levels = [], []
        for number, name in enumerate(names):
            self.levels.append((ctypes.c_short * POINTS)())
            self.channels.append(Channel(name, 0.5 + number / 100))

    def reset(self, number):
        ctypes.memset(self.levels[number], 0, POINTS * ctypes.sizeof(ctypes.c_long))

    def loudness(self):
        return sum(
            channel.gain * sum(levels) for channel, levels in zip(self.channels, self.levels)
        )


def play(mixer, seconds):
    for second in range(seconds):
        for levels in mixer.levels:
            levels[second % POINTS] = second
    return mixer.loudness()


def next_song(mixer, muted):
    for number in muted:
        mixer.reset(number)
    return play(mixer, 30)


def main():
    mixer = Mixer([f"track {n}" for n in range(80)])
    print(play(mixer, 30))
    print(next_song(mixer, range(30, 50)))


main()
