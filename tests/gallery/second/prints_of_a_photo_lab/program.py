# SPDX-License-Identifier: Apache-2.0
"""Opens and closes the orders of a photo lab."""

import ctypes
import json
import os


class Lab:
    def __init__(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lab.so")
        self.library = ctypes.CDLL(path)
        self.library.open_order.restype = ctypes.c_void_p
        self.library.open_order.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_char_p]
        self.library.close_order.argtypes = [ctypes.c_void_p]
        self.orders = {}

    def open(self, number, copies, paper):
        self.orders[number] = self.library.open_order(number, copies, paper.encode())

    def close(self, number):
        return self.library.close_order(self.orders.pop(number))


def main():
    lab = Lab()
    for number in range(300):
        lab.open(number, 1 + number % 9, "matte" if number % 2 else "glossy")
    with open("ready", "w") as file:
        header = lab.orders[123] - 8
        # the second byte of the size
        file.write(json.dumps({"pid": os.getpid(), "memory": [[header, 13]]}) + "\n")
    input()
    print(sum(lab.close(number) for number in range(300)), "prints")


if __name__ == "__main__":
    main()
