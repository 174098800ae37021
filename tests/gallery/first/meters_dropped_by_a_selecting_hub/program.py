# SPDX-License-Identifier: Apache-2.0
"""A hub of electricity meters: one thread reads what they send; meters are added and go."""

import logging
import os
import select
import socket
import threading

log = logging.getLogger("hub")


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Meter:
    def __init__(self, name, link):
        self.name, self.link = name, link
        self.readings = []

    def fileno(self):
        return self.link.fileno()

    def feed(self):
        packet = self.link.recv(64)
        if packet:
            self.readings.append(int(packet))
        return bool(packet)


class Hub(threading.Thread):
    def __init__(self):
        super().__init__(name="hub")
        self.meters = []
        self.total = 0

    def add(self, meter):
        self.meters.append(meter)

    def run(self):
        while True:
            readable, _, _ = select.select(self.meters, [], [])
            for meter in readable:
                if not meter.feed():
                    log.info("%s has gone", meter.name)
                    self.total += sum(meter.readings)
                    self.meters.remove(meter)
                    meter.link.close()


def main():
    logging.basicConfig(level=logging.INFO)
    hub = Hub()
    ours, theirs = socket.socketpair()
    hub.add(Meter("cellar", ours))
    theirs.send(b"17")
    theirs.close()
    hub.start()
    threading.Timer(0.5, ready).start()
    hub.join()
    print(hub.total)


main()
