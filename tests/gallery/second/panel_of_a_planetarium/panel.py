# SPDX-License-Identifier: Apache-2.0
"""A control panel: only the main thread may draw on it."""

import queue
import threading


class Panel:
    def __init__(self):
        self._calls = queue.Queue()
        self._closing = False
        self.lines = {}
        self.on_close = []

    def draw(self, name, text):
        assert threading.current_thread() is threading.main_thread()
        self.lines[name] = text

    def run_on_main(self, function, *args):
        """Let the main thread call a function; return what it returned."""
        done = threading.Event()
        result = []
        self._calls.put((function, args, result, done))
        done.wait()
        return result[0]

    def post(self, function, *args):
        self._calls.put((function, args, [], threading.Event()))

    def close(self):
        for stop in self.on_close:
            stop()
        self._closing = True

    def main_loop(self):
        while not self._closing:
            function, args, result, done = self._calls.get()
            result.append(function(*args))
            done.set()
