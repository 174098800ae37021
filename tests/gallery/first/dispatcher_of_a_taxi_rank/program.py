# SPDX-License-Identifier: Apache-2.0
"""A taxi rank: the dispatcher gives rides to drivers, who tell when they are free again."""

import collections
import json
import multiprocessing
import os
from multiprocessing.connection import Client, Listener, wait

DRIVERS = 3


def drive(pipe):
    while True:
        ride = pipe.recv()
        if ride is None:
            return
        pipe.send((ride, sum(ord(letter) for letter in ride) % 40))


class Rank:
    def __init__(self, context):
        self.listener = Listener(("127.0.0.1", 0), authkey=None)
        self.free, self.rides, self.fares = collections.deque(), collections.deque(), []
        self.drivers = {}
        for number in range(DRIVERS):
            near, far = context.Pipe()
            process = context.Process(target=drive, args=(far,), name=f"driver-{number}")
            process.start()
            far.close()
            self.drivers[process.sentinel] = process
            self.free.append(near)
        self.pipes = list(self.free)

    def assign(self):
        while self.free and self.rides:
            self.free.popleft().send(self.rides.popleft())

    def run(self):
        door = self.listener._listener._socket
        while self.drivers:
            for ready in wait([door, *self.pipes, *self.drivers]):
                if ready is door:
                    with self.listener.accept() as caller:
                        self.rides.append(caller.recv())
                elif ready in self.drivers:
                    print("lost", self.drivers.pop(ready).name)
                else:
                    self.fares.append(ready.recv())
                    self.free.append(ready)
            self.assign()
            if len(self.fares) == 4:
                with open("ready", "w") as file:
                    file.write(json.dumps({"pid": os.getpid()}) + "\n")


def order(address):
    for place in ("station", "opera", "harbour", "hospital"):
        with Client(address, authkey=None) as line:
            line.send(place)


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    rank = Rank(fork)
    fork.Process(target=order, args=(rank.listener.address,), daemon=True).start()
    rank.run()
