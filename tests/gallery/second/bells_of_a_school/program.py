# SPDX-License-Identifier: Apache-2.0
"""Bells of a school: a thread rings what is due, the main thread takes changes of the plan."""

import heapq
import os
import socket
import threading
import time


class BellPlan(threading.Thread):
    def __init__(self):
        super().__init__(name="bell-plan", daemon=True)
        self.changed = threading.Condition()
        self.due = []
        self.rung = []

    def add(self, seconds, bell):
        with self.changed:
            heapq.heappush(self.due, (time.monotonic() + seconds, bell))
            self.changed.notify()

    def next_bell(self):
        with self.changed:
            while True:
                now = time.monotonic()
                if self.due and self.due[0][0] <= now:
                    return heapq.heappop(self.due)[1]
                self.changed.wait(self.due[0][0] - now if self.due else None)

    def run(self):
        while True:
            self.rung.append(self.next_bell())
            if self.rung[-1] == "second lesson":
                with open("ready", "w") as file:
                    file.write(f"{os.getpid()}\n")


class Office:
    """Takes lines such as 'fire drill in 600' on a port of its own."""

    def __init__(self, plan):
        self.plan = plan
        self.door = socket.create_server(("127.0.0.1", 0))

    def serve(self):
        while True:
            visitor, _ = self.door.accept()
            with visitor, visitor.makefile() as lines:
                for line in lines:
                    bell, _, seconds = line.strip().rpartition(" in ")
                    self.plan.add(float(seconds), bell)


def main():
    plan = BellPlan()
    plan.start()
    for seconds, bell in ((0.1, "first lesson"), (0.2, "second lesson"), (2700, "break")):
        plan.add(seconds, bell)
    Office(plan).serve()


main()
