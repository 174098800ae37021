# SPDX-License-Identifier: Apache-2.0
"""Two greenlets of gevent join each other while a third thread of work idles in the hub."""

import os

import gevent
from gevent.event import AsyncResult

LEFT, RIGHT = AsyncResult(), AsyncResult()


def wait_left():
    RIGHT.set(LEFT.get())


def wait_right():
    LEFT.set(RIGHT.get())


def heartbeat():
    while True:
        gevent.sleep(30)


def main():
    gevent.spawn(heartbeat)
    jobs = [gevent.spawn(wait_left), gevent.spawn(wait_right)]
    gevent.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    gevent.joinall(jobs)


main()
