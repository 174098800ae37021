# SPDX-License-Identifier: Apache-2.0
"""Dials meters in the field through a pool of modems."""

import contextlib
import ctypes
import os
import threading
import time

library = ctypes.CDLL(os.path.abspath("modem.so"))
library.modem_dial.restype = ctypes.c_void_p
library.modem_dial.argtypes = [ctypes.c_char_p]
library.modem_ask.argtypes = [ctypes.c_void_p]
library.modem_hang_up.argtypes = [ctypes.c_void_p]
library.modem_hang_up.restype = None


class Session:
    def __init__(self, number):
        self.number = number
        self.handle = library.modem_dial(number.encode())

    def reading(self):
        return library.modem_ask(self.handle)

    def close(self):
        library.modem_hang_up(self.handle)

    def __del__(self):
        self.close()


def poll(numbers, readings):
    for number in numbers:
        session = Session(number)
        readings[number] = session.reading()


def repeat_doubtful(readings):
    for number in [number for number, value in readings.items() if value % 10 == 0]:
        with contextlib.closing(Session(number)) as session:
            readings[number] = session.reading()


def heartbeat():
    while True:
        time.sleep(0.1)


def main():
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    readings = {}
    poll([f"+45 55 01 {n:02} 00" for n in range(60)], readings)
    repeat_doubtful(readings)
    print(len(readings), "meters read")


if __name__ == "__main__":
    main()
