# SPDX-License-Identifier: Apache-2.0
"""Keeps copies of greetings in the C library's heap for a door chime that is written in C."""

import ctypes

libc = ctypes.CDLL(None)
libc.strdup.argtypes = [ctypes.c_char_p]
libc.strdup.restype = ctypes.c_char_p
libc.free.argtypes = [ctypes.c_char_p]
libc.free.restype = None


class Chime:
    def __init__(self):
        self.greetings = {}

    def learn(self, guest, greeting):
        self.greetings[guest] = libc.strdup(greeting.encode("utf-8"))

    def ring(self, guest):
        return self.greetings.get(guest, b"Good day")

    def forget(self, guest):
        libc.free(self.greetings.pop(guest))


def main():
    chime = Chime()
    for number in range(20):
        chime.learn(f"guest {number}", f"Welcome to the house, guest number {number}!")
    print(chime.ring("guest 4"), chime.ring("guest 40"), flush=True)
    for number in range(20):
        chime.forget(f"guest {number}")
    print("nobody is known any more", flush=True)


if __name__ == "__main__":
    main()
