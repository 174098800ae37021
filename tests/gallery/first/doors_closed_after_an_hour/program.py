# SPDX-License-Identifier: Apache-2.0
"""A greenlet that starts in an hour closes the doors; the main greenlet waits for that."""

import os

import gevent
from gevent.event import Event


def close(closed):
    print("closing")
    closed.set()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    closed = Event()
    gevent.spawn_later(3600, close, closed)
    gevent.spawn_later(0.5, tell)
    closed.wait()


main()
