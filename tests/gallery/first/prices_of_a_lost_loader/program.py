# SPDX-License-Identifier: Apache-2.0
"""A shop waits for its price list, which a greenlet loads."""

import os

import gevent
from gevent.event import Event


class Shop:
    def __init__(self):
        self.loaded = Event()
        self.prices = {}

    def load(self):
        self.prices = {"pears": int("2.10")}
        self.loaded.set()

    def beat(self):
        while True:
            gevent.sleep(3)

    def open(self):
        gevent.spawn(self.beat)
        gevent.spawn(self.load)
        gevent.spawn_later(0.5, tell)
        self.loaded.wait()
        print(self.prices)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


Shop().open()
