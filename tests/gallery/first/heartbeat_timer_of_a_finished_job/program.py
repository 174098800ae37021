# SPDX-License-Identifier: Apache-2.0
"""A batch job that tells every hour that it is alive, and sums the meters of a district."""

import os
import threading


class Heartbeat:
    def __init__(self, seconds, path):
        self.seconds, self.path, self.beats = seconds, path, 0
        self.timer = None

    def beat(self):
        self.beats += 1
        with open(self.path, "w") as file:
            file.write(f"{self.beats}\n")
        self.timer = threading.Timer(self.seconds, self.beat)
        self.timer.start()


def sum_meters(readings):
    return sum(after - before for before, after in readings)


def main():
    Heartbeat(3600, "heartbeat").beat()
    print("used:", sum_meters([(100, 164), (981, 1008), (17, 17)]), flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


main()
