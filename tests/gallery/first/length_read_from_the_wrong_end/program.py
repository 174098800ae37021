# SPDX-License-Identifier: Apache-2.0
"""Telemetry comes in packets with a length before each; a native reader copies them out."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "packets.so"))
library.receive.restype = ctypes.c_long
library.take_packet.argtypes = [ctypes.c_long, ctypes.c_void_p]
library.take_packet.restype = ctypes.c_long


class Reading:
    __slots__ = ("device", "values")

    def __init__(self, device, values):
        self.device, self.values = device, values


def parse(text):
    return dict(part.split(b"=") for part in text.split(b";") if b"=" in part)


def take(number, text):
    length = library.take_packet(number, text)
    return Reading(number, parse(text.raw[:length]))


def gather(count):
    texts = [ctypes.create_string_buffer(48) for _ in range(count)]
    history = [Reading(number, {b"temp": b"20"}) for number in range(2000)]
    history.append(take(3, texts[count // 2]))
    return history


def report(history):
    return sum(len(reading.values) for reading in history)


def main():
    print(library.receive())
    print(report(gather(300)))


main()
