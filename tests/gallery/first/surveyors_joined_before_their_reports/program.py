# SPDX-License-Identifier: Apache-2.0
"""Two surveyors, each a process, measure parcels; then the office reads their reports."""

import multiprocessing
import os
import threading
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def survey(parcel, acres, reports):
    if parcel == "mill":
        time.sleep(900)
    reports.put((parcel, acres * 4047))


class Office:
    def __init__(self):
        self.reports = multiprocessing.Queue()
        self.surveyors = [
            multiprocessing.Process(target=survey, args=(name, acres, self.reports), name=name)
            for name, acres in (("mill", 12), ("ford", 7))
        ]

    def measure(self):
        for surveyor in self.surveyors:
            surveyor.start()
        for surveyor in self.surveyors:
            surveyor.join()
        return dict(self.reports.get() for _ in self.surveyors)


if __name__ == "__main__":
    threading.Timer(1.5, ready).start()
    print(Office().measure())
