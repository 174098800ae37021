# SPDX-License-Identifier: Apache-2.0
"""Watches the box office of many concerts for returned tickets, three requests at a time."""

from gevent import monkey

monkey.patch_all()

import os
import socket

import gevent
from gevent.lock import BoundedSemaphore
from gevent.server import StreamServer

SOLD_OUT = {3, 5, 8, 13, 21}


class SoldOut(Exception):
    pass


def box_office(connection, address):
    concert = int(connection.recv(100))
    gevent.sleep(0.01)
    connection.sendall(b"-" if concert in SOLD_OUT else b"%d seats" % (concert % 4 + 1))
    connection.close()


class TicketWatch:
    def __init__(self, port, at_once=3):
        self.port = port
        self.slots = BoundedSemaphore(at_once)
        self.seats = {}
        self.rounds = 0

    def ask(self, concert):
        self.slots.acquire()
        with socket.create_connection(("127.0.0.1", self.port)) as office:
            office.sendall(b"%d" % concert)
            answer = office.recv(100)
        if answer == b"-":
            raise SoldOut(concert)
        self.slots.release()
        return answer.decode()

    def watch(self, concert):
        while True:
            try:
                self.seats[concert] = self.ask(concert)
            except SoldOut:
                self.seats[concert] = "none"
            gevent.sleep(0.05)

    def show(self):
        while True:
            self.rounds += 1
            gevent.sleep(2)


def main():
    office = StreamServer(("127.0.0.1", 0), box_office)
    office.start()
    watch = TicketWatch(office.server_port)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    watching = [gevent.spawn(watch.watch, concert) for concert in range(1, 15)]
    gevent.joinall([*watching, gevent.spawn(watch.show)])


main()
