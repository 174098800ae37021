# SPDX-License-Identifier: Apache-2.0
"""The controller of a pump writes telegrams into a ring; a timer adds a heartbeat to them."""

import collections
import os
import signal
import threading
import zlib

Telegram = collections.namedtuple("Telegram", "kind body check")


class TelegramRing:
    __slots__ = ("room", "telegrams", "lost")

    def __init__(self, size):
        self.room = threading.Condition(threading.Lock())
        self.telegrams = collections.deque(maxlen=size)
        self.lost = 0

    def push(self, kind, body):
        with self.room:
            check = 0
            for _ in range(40):
                check = zlib.crc32(body, check)
            if len(self.telegrams) == self.telegrams.maxlen:
                self.lost += 1
            self.telegrams.append(Telegram(kind, body, check))
            self.room.notify()

    def drain(self):
        with self.room:
            taken = sorted(self.telegrams)
            self.telegrams.clear()
        return taken


HEARTBEAT = 0.013
ring = TelegramRing(64)
strokes = 0


def on_tick(signum, frame):
    ring.push("heartbeat", b"pump 4 strokes %d" % strokes)
    signal.setitimer(signal.ITIMER_REAL, HEARTBEAT)


def regulate():
    global strokes
    while True:
        strokes += 1
        pressure = 2000 + (strokes * 37) % 450
        ring.push("pressure", b"%d mbar " % pressure * 30)
        if strokes % 50 == 0:
            ring.drain()


with open("ready", "w") as file:
    file.write(f"{os.getpid()}\n")
signal.signal(signal.SIGALRM, on_tick)
signal.setitimer(signal.ITIMER_REAL, HEARTBEAT)
regulate()
