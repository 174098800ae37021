# SPDX-License-Identifier: Apache-2.0
"""Jobs of a press house go to a press process; what is left at night is printed by the parent."""

import multiprocessing
import os
import time
from pathlib import Path


def press(jobs, printed):
    while True:
        job = jobs.get()
        printed.value += job["sheets"]


class PressHouse:
    def __init__(self):
        context = multiprocessing.get_context("fork")
        self.jobs = context.Queue()
        self.printed = context.Value("i", 0)
        self.press = context.Process(target=press, args=(self.jobs, self.printed), daemon=True)
        self.press.start()

    def stop_press(self):
        self.press.terminate()
        self.press.join()

    def print_rest(self, count):
        for _ in range(count):
            job = self.jobs.get()
            self.printed.value += job["sheets"]
        return self.printed.value


def main():
    house = PressHouse()
    for sheets in (200, 1500, 80):
        house.jobs.put({"sheets": sheets})
    while house.printed.value < 1780:
        time.sleep(0.02)
    time.sleep(0.5)
    house.stop_press()
    house.jobs.put({"sheets": 640})
    Path("ready").write_text(f"{os.getpid()}\n")
    print(house.print_rest(1), "sheets")


if __name__ == "__main__":
    main()
