# SPDX-License-Identifier: Apache-2.0
"""Broadcast mixer: applies the faders of small and large desks when a scene is recalled."""

import ctypes
import os
import threading

LIBRARY = ctypes.CDLL(os.path.abspath("gains.so"))


class Desk(ctypes.Structure):
    _fields_ = [
        ("channels", ctypes.c_uint32),
        ("decibels", ctypes.c_float * 1024),
        ("factor", ctypes.c_float * 1024),
    ]


def recall(scene):
    desk = Desk(channels=len(scene))
    for channel, level in enumerate(scene):
        desk.decibels[channel] = level
    LIBRARY.desk_apply(ctypes.byref(desk))
    return [desk.factor[channel] for channel in range(desk.channels)]


def watch_clock(closing):
    while not closing.wait(10.0):
        print("on air")


def main():
    closing = threading.Event()
    threading.Thread(target=watch_clock, args=(closing,), daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for channels in (16, 48, 96, 256):
        factors = recall([-6.0] * channels)
        print(channels, round(factors[0], 3))
    closing.set()


main()
