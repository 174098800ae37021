# SPDX-License-Identifier: Apache-2.0
"""The lamps of a stage: commands are written by one thread and acknowledged over a queue."""

import queue
import threading


class Line(threading.Thread):
    """The serial line to the dimmers."""

    def __init__(self):
        super().__init__(name="dimmer-line", daemon=True)
        self.commands = queue.Queue()

    def run(self):
        while True:
            lamp, level, answer = self.commands.get()
            if level > 100:
                continue  # the dimmers ignore what they do not understand
            answer.put((lamp, level))


class Desk:
    def __init__(self, line):
        self.line = line
        self.levels = {}

    def set_level(self, lamp, level):
        answer = queue.SimpleQueue()
        self.line.commands.put((lamp, level, answer))
        lamp, level = answer.get()
        self.levels[lamp] = level
