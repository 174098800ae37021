# SPDX-License-Identifier: Apache-2.0
"""A scheduler of generators: a task yields what it waits for, select() says who goes on."""

import collections
import os
import select
import socket
import subprocess
import sys


class Scheduler:
    def __init__(self):
        self.ready = collections.deque()
        self.readers = {}

    def spawn(self, task):
        self.ready.append(task)

    def run(self):
        while self.ready or self.readers:
            while self.ready:
                task = self.ready.popleft()
                try:
                    self.readers[next(task)] = task
                except StopIteration:
                    pass
            readable, _, _ = select.select(list(self.readers), [], [])
            for each in readable:
                self.ready.append(self.readers.pop(each))


def accept_couriers(scheduler, door):
    while True:
        yield door
        courier, _ = door.accept()
        scheduler.spawn(serve_courier(courier))


def serve_courier(courier):
    with courier:
        while True:
            yield courier
            parcel = courier.recv(256)
            if not parcel:
                return
            courier.sendall(b"receipt for " + parcel)
            if parcel == b"parcel 2":
                with open("ready", "w") as file:
                    file.write("%d\n" % os.getpid())


COURIER = """
import socket, sys, time
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as depot:
    for number in range(3):
        depot.sendall(b"parcel %d" % number)
        depot.recv(256)
    time.sleep(300)
"""


def main():
    door = socket.create_server(("127.0.0.1", 0))
    scheduler = Scheduler()
    scheduler.spawn(accept_couriers(scheduler, door))
    subprocess.Popen([sys.executable, "-c", COURIER, str(door.getsockname()[1])])
    scheduler.run()


main()
