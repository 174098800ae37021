# SPDX-License-Identifier: Apache-2.0
"""Pressures come over a serial-like line, a few bytes now and then; a reader puts them together."""

import os
import socket
import threading
import time


def transmitter(line):
    """Stand in for the station: a telegram in three parts, with pauses as of a slow modem."""
    number = 0
    while True:
        telegram = b"P%04d;%5.2f\n" % (number, 4 + number % 7 / 10)
        for start in range(0, len(telegram), 5):
            line.sendall(telegram[start : start + 5])
            time.sleep(0.15)
        number += 1


class PipelineLog:
    def __init__(self, line):
        self.line = line
        self.rest = b""
        self.pressures = []

    def read_telegrams(self):
        while True:
            piece = self.line.recv(64)
            if not piece:
                return
            self.rest += piece
            *whole, self.rest = self.rest.split(b"\n")
            for telegram in whole:
                name, _, value = telegram.partition(b";")
                self.pressures.append((name.decode(), float(value)))
                print(self.pressures[-1], flush=True)


def main():
    ours, theirs = socket.socketpair()
    ours.settimeout(30)
    threading.Thread(target=transmitter, args=(theirs,), name="station", daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    PipelineLog(ours).read_telegrams()


main()
