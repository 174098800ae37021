# SPDX-License-Identifier: Apache-2.0
"""A radar writes echoes into the window of a sweep; an echo of the next sweep begins a new one."""

WIDTH = 32 << 20


class Sweep:
    def __init__(self):
        self.number = 0
        self.begin()

    def begin(self):
        self.store = bytearray(WIDTH)
        self.window = memoryview(self.store)

    def finish(self):
        self.window.release()
        total = self.store.count(1)
        self.store.clear()
        self.begin()
        return total

    def mark(self, bearing, echo):
        self.window[bearing] = echo


class Echo:
    def __init__(self, sweep, number, strength):
        self.sweep, self.number, self.strength = sweep, number, strength

    def __index__(self):
        if self.number > self.sweep.number:
            self.sweep.number = self.number
            self.sweep.finish()
        return min(self.strength, 255)


def main():
    sweep = Sweep()
    for number in range(3):
        for bearing in range(5, WIDTH, WIDTH // 7):
            sweep.mark(bearing, Echo(sweep, number, 40 + bearing % 100))
    print(sweep.number)


main()
