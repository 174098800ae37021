# SPDX-License-Identifier: Apache-2.0
"""Control of the lifts of an office tower: every lift is a process that waits to be called."""

import json
import multiprocessing
import os

LIFTS = 3


def run_lift(number, calls, floor, parked):
    with calls:
        parked.release()
        while floor.value < 0:
            calls.wait()
        print(f"lift {number} goes to floor {floor.value}", flush=True)


class Lifts:
    def __init__(self, count):
        context = multiprocessing.get_context("fork")
        self.calls = context.Condition()
        self.floor = context.Value("i", -1)
        self.parked = context.Semaphore(0)
        self.lifts = [
            context.Process(target=run_lift, args=(n, self.calls, self.floor, self.parked))
            for n in range(count)
        ]
        for lift in self.lifts:
            lift.start()
        for _ in self.lifts:
            self.parked.acquire()
        with self.calls:
            print(count, "lifts are parked", flush=True)

    def take_out_of_service(self, number):
        lift = self.lifts.pop(number)
        lift.kill()
        lift.join()

    def call_all(self, floor):
        with self.calls:
            self.floor.value = floor
            self.calls.notify_all()

    def wait(self):
        for lift in self.lifts:
            lift.join()


def main():
    lifts = Lifts(LIFTS)
    lifts.take_out_of_service(1)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    lifts.call_all(0)
    lifts.wait()


if __name__ == "__main__":
    main()
