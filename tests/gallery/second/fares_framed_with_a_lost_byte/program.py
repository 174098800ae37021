# SPDX-License-Identifier: Apache-2.0
"""A bridge toll: booths ask the tariff service over a local socket."""

import logging
import os
import socket
import threading

import framing

log = logging.getLogger("toll")
TARIFFS = {"car": 240, "van": 380, "lorry": 1150, "bicycle": 0}


class TariffService(threading.Thread):
    def __init__(self, connection):
        super().__init__(name="tariff-service")
        self.connection = connection
        self.answered = 0

    def run(self):
        while True:
            question = framing.receive(self.connection)
            if question is None:
                return
            vehicle, axles = question.split()
            price = TARIFFS[vehicle] + 60 * max(0, int(axles) - 2)
            framing.send(self.connection, "%d" % price)
            self.answered += 1


class Booth:
    def __init__(self, number, connection):
        self.number = number
        self.connection = connection
        self.takings = 0

    def ask(self, vehicle, axles):
        framing.send(self.connection, "%s %d" % (vehicle, axles))
        return int(framing.receive(self.connection))

    def pass_vehicle(self, plate, vehicle, axles, remark=""):
        price = self.ask(vehicle + remark, axles)
        self.takings += price
        log.info("booth %d: %s pays %.2f", self.number, plate, price / 100)


def read_lane(text):
    for line in text.splitlines(keepends=True):
        plate, vehicle, axles = line.split(";")
        yield plate, vehicle, axles


LANE = "AB 123;car;2\nCD 999;lorry;4\n"


def main():
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    here, there = socket.socketpair()
    service = TariffService(there)
    service.start()
    booth = Booth(3, here)
    for plate, vehicle, axles in read_lane(LANE):
        booth.pass_vehicle(plate, vehicle, int(axles))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    framing.send(here, "car 2\n")  # the self-test of the evening, as the old booths sent it
    price = framing.receive(here)
    log.info("self-test: %s", price)
    here.close()
    service.join()


main()
