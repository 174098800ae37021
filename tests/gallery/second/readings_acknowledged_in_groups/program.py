# SPDX-License-Identifier: Apache-2.0
"""A meter sends its readings to a logger, which acknowledges them in groups."""

import os
import socket
import threading

WINDOW = 3
GROUP = 4


class Meter:
    def __init__(self, line):
        self.line, self.open = line, 0

    def send_reading(self, number):
        if self.open >= WINDOW:
            self.open -= self.line.recv(1)[0]
        self.line.sendall(b"%08d" % number)
        self.open += 1


class Logger:
    def __init__(self, line):
        self.line, self.readings = line, []

    def store(self):
        new = 0
        while True:
            record = self.line.recv(8, socket.MSG_WAITALL)
            if not record:
                return
            self.readings.append(int(record))
            new += 1
            if new == GROUP:
                self.line.sendall(bytes([new]))
                new = 0


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    ours, theirs = socket.socketpair()
    logger = Logger(theirs)
    threading.Thread(target=logger.store, name="logger").start()
    meter = Meter(ours)
    threading.Timer(0.5, tell).start()
    for number in range(100):
        meter.send_reading(number)
    ours.close()


main()
