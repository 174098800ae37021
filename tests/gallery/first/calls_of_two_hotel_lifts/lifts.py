# SPDX-License-Identifier: Apache-2.0
"""Two lifts that share the calls of a house: the nearer one goes."""

import queue
import threading
from dataclasses import dataclass, field


@dataclass
class Call:
    floor: int
    guest: str
    forwarded: int = 0
    served: threading.Event = field(default_factory=threading.Event)


class Lift(threading.Thread):
    def __init__(self, name, floor):
        super().__init__(name=f"lift {name}", daemon=True)
        self.floor = floor
        self.inbox = queue.Queue()
        self.neighbour = None
        self.rides = []
        self._moving = threading.Lock()

    def distance(self, call):
        with self._moving:
            return abs(self.floor - call.floor)

    def nearer(self, call):
        return self.distance(call) < self.neighbour.distance(call)

    def run(self):
        while True:
            call = self.inbox.get()
            if self.nearer(call):
                self.ride(call)
            else:
                call.forwarded += 1
                self.neighbour.inbox.put(call)

    def ride(self, call):
        with self._moving:
            self.floor = call.floor
        self.rides.append(call.guest)
        call.served.set()
