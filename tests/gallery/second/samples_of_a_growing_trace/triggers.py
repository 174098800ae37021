# SPDX-License-Identifier: Apache-2.0
"""Where a trace crosses a level."""


class Trigger:
    def __init__(self, level):
        self.level = level
        self.crossings = []

    def look(self, window, start):
        below = True
        for place, value in enumerate(window):
            if below and value >= self.level:
                self.crossings.append(start + place)
            below = value < self.level


class Baseline:
    """The mean of what came first; the window is kept for the report."""

    def __init__(self, trace, samples):
        self.window = memoryview(trace)[:samples]

    def mean(self):
        return sum(self.window) / len(self.window)
