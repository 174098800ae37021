# SPDX-License-Identifier: Apache-2.0
"""The tests of a small scheduler; one of them lets a job really run at its minute."""

import os
import threading
import time
import unittest


class Every:
    def __init__(self, seconds, job):
        self.seconds = seconds
        self.job = job
        self._stop = threading.Event()
        self.thread = threading.Thread(target=self._run, name="every", daemon=True)

    def start(self):
        self.thread.start()
        return self

    def stop(self):
        self._stop.set()
        self.thread.join()

    def _run(self):
        while not self._stop.wait(self.seconds):
            self.job()


def parse_field(text, low, high):
    if text == "*":
        return set(range(low, high + 1))
    if text.startswith("*/"):
        return set(range(low, high + 1, int(text[2:])))
    return {int(each) for each in text.split(",")}


def eventually(condition, within, every=0.2):
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(every)
    return condition()


class ParserTest(unittest.TestCase):
    def test_star(self):
        self.assertEqual(len(parse_field("*", 0, 59)), 60)

    def test_step(self):
        self.assertEqual(parse_field("*/15", 0, 59), {0, 15, 30, 45})

    def test_list(self):
        self.assertEqual(parse_field("1,5", 0, 59), {1, 5})


class RunningTest(unittest.TestCase):
    def setUp(self):
        self.runs = []
        self.every = Every(20, lambda: self.runs.append(time.time())).start()
        self.addCleanup(self.every.stop)

    def test_runs_twice(self):
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        self.assertTrue(eventually(lambda: len(self.runs) >= 2, within=50))


if __name__ == "__main__":
    unittest.main(verbosity=2)
