# SPDX-License-Identifier: Apache-2.0
"""The main thread waits for an event that a timer sets each hour and then starts anew."""

import os
import threading


class Alarm:
    def __init__(self):
        self.rang = threading.Event()
        self.arm()

    def arm(self):
        self.timer = threading.Timer(3600, self.ring)
        self.timer.start()

    def ring(self):
        self.rang.set()
        self.arm()


alarm = Alarm()
with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())
while True:
    alarm.rang.wait()
    alarm.rang.clear()
