# SPDX-License-Identifier: Apache-2.0
"""Two benches of a laboratory wait for samples; a courier brings them all when he arrives."""

import os
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Laboratory:
    def __init__(self):
        self.expected = {}

    def analyse(self, patient):
        tubes = [self.expected.setdefault((patient, n), Future()) for n in range(2)]
        wait(tubes)
        return sum(tube.result() for tube in tubes)

    def drive(self):
        time.sleep(1200)
        for key in list(self.expected):
            self.expected.pop(key).set_result(1)


def main():
    laboratory = Laboratory()
    threading.Thread(target=laboratory.drive, name="courier").start()
    with ThreadPoolExecutor(2, thread_name_prefix="bench") as benches:
        results = [benches.submit(laboratory.analyse, patient) for patient in range(6)]
        tell()
        print([each.result() for each in results])


main()
