# SPDX-License-Identifier: Apache-2.0
"""A service takes messages out of a mailbox of its own that an upstream thread fills."""

import os
import threading
import time


class Mailbox:
    def __init__(self):
        self.letters = []
        self.arrived = threading.Condition()

    def put(self, letter):
        with self.arrived:
            self.letters.append(letter)
            self.arrived.notify()

    def take(self):
        with self.arrived:
            while not self.letters:
                self.arrived.wait()
            return self.letters.pop(0)


class Service:
    def __init__(self):
        self.mailbox = Mailbox()
        self.beats = 0

    def read_upstream(self):
        for number in range(3):
            self.mailbox.put(number)
        raise RuntimeError("the upstream has gone")

    def beat(self):
        while True:
            self.beats += 1
            time.sleep(5)

    def run(self):
        threading.Thread(target=self.read_upstream, name="upstream").start()
        threading.Thread(target=self.beat, daemon=True, name="heartbeat").start()
        for number in range(10):
            self.mailbox.take()
            if number == 2:
                with open("ready", "w") as file:
                    file.write("%d\n" % os.getpid())


Service().run()
