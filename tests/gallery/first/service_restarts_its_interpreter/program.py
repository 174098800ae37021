# SPDX-License-Identifier: Apache-2.0
"""A service that gives memory back each night by a fresh start of what it runs on."""

import ctypes
import time

api = ctypes.pythonapi


class Orders:
    def __init__(self):
        self.lines = []

    def take(self, count):
        self.lines += [f"order {n}: {n % 9} pieces" for n in range(count)]
        return len(self.lines)

    def clear(self):
        self.lines.clear()


def fresh_start():
    """Give back all that the interpreter has kept."""
    api.Py_FinalizeEx()
    api.Py_Initialize()


def main():
    orders = Orders()
    for day in range(3):
        print(day, orders.take(2000), time.strftime("%H"), flush=True)
        orders.clear()
        fresh_start()
        print("started afresh", flush=True)


main()
