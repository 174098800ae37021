# SPDX-License-Identifier: Apache-2.0
import os
import queue
import threading

from beat import Beat, Every


class Ground:
    def __init__(self):
        self.litres = {}

    @Every(0.2)
    def measure(self):
        self.litres.setdefault("rain", 0)
        if len(self.litres) == 1:
            self.litres["start"] = 1
            with open("ready", "w") as file:
                file.write(f"{os.getpid()}\n")
            type(self).measure.seconds = 3600

    @Every(5400)
    def water_square(self):
        self.litres["square"] = self.litres.get("square", 0) + 900

    @Every(21600)
    def water_outfield(self):
        self.litres["outfield"] = self.litres.get("outfield", 0) + 12000


def work(jobs):
    for job in iter(jobs.get, None):
        job()


def main():
    jobs = queue.SimpleQueue()
    for number in range(3):
        threading.Thread(target=work, args=(jobs,), name=f"valve-{number}", daemon=True).start()
    Beat(Ground(), jobs.put).run()


main()
