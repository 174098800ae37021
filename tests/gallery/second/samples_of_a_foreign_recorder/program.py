# SPDX-License-Identifier: Apache-2.0
"""Reads samples of a recorder of the other byte order and lists the takes of a session."""

import array
import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
order = ctypes.CDLL(os.path.join(HERE, "order.so"))
order.swap_samples.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


class Take:
    __slots__ = ("number", "title", "loudest", "marks", "player", "tempo", "key", "rating")

    def __init__(self, number):
        self.number = number
        self.title = f"take {number} of the adagio"
        self.loudest, self.marks, self.player = None, [number], "viola"
        self.tempo, self.key, self.rating = 58 + number % 9, "g minor", number % 5


class Session:
    def __init__(self):
        self.samples, self.takes = [], []

    def record(self, number):
        self.samples.append(array.array("H", [(n * 257 + number) & 0xFFFF for n in range(48)]))
        self.takes.append(Take(number))

    def native(self, samples):
        address, _ = samples.buffer_info()
        order.swap_samples(address, len(samples) * samples.itemsize)

    def best(self):
        return max(self.takes, key=lambda take: (take.rating, take.tempo)).title

    def marked(self):
        return sum(len(take.marks) for take in self.takes)


def main():
    session = Session()
    for number in range(200):
        session.record(number)
    session.native(session.samples[140])
    notes = []
    for page in range(30):
        notes.append({f"{page}/{line}": [line] * 3 for line in range(60)})
    print(session.marked(), "marks", flush=True)
    print("best:", session.best(), flush=True)


if __name__ == "__main__":
    main()
