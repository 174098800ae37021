# SPDX-License-Identifier: Apache-2.0
"""Smooths the height profiles of a survey flight, several lines at a time."""

import math
import queue
import threading

from heights import Profile

threading.stack_size(256 * 1024)  # many lines are worked on at once


class Smoother(threading.Thread):
    def __init__(self, lines, results):
        super().__init__(name="smoother")
        self.lines, self.results = lines, results

    def run(self):
        for profile in iter(self.lines.get, None):
            self.results.put(profile.smoothed(half=8))


def flight():
    for line, samples in enumerate((6000, 9000, 7500, 48000, 6500)):
        yield Profile(line, (200 + 40 * math.sin(n / 700) for n in range(samples)))


def main():
    lines, results = queue.Queue(), queue.Queue()
    smoother = Smoother(lines, results)
    smoother.start()
    for profile in flight():
        lines.put(profile)
    lines.put(None)
    smoother.join()
    while not results.empty():
        print(results.get().line)


if __name__ == "__main__":
    main()
