# SPDX-License-Identifier: Apache-2.0
"""The doors of a hall wait, each in its process, for the opening of the evening."""

import json
import multiprocessing
import os
import signal
import time


def door(number, opening, report):
    report.send(number)
    opening.wait()
    report.send(f"door {number} open")


class Hall:
    def __init__(self, doors):
        self.opening = multiprocessing.Event()
        self.reports, report = multiprocessing.Pipe(duplex=False)
        self.doors = [
            multiprocessing.Process(target=door, args=(n, self.opening, report), daemon=True)
            for n in range(doors)
        ]

    def post(self):
        for each in self.doors:
            each.start()
        for _ in self.doors:
            self.reports.recv()
        time.sleep(1.0)

    def take_out_of_service(self, number):
        os.kill(self.doors[number].pid, signal.SIGKILL)
        self.doors[number].join()

    def open(self):
        self.opening.set()
        return [self.reports.recv() for each in self.doors if each.is_alive()]


def main():
    hall = Hall(2)
    hall.post()
    hall.take_out_of_service(1)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(hall.open())


main()
