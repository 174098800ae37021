# SPDX-License-Identifier: Apache-2.0
"""A signal post tells its observers which aspect it shows; observers come and go with the screens."""  # noqa: E501

import ctypes
import os

post = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "post.so"))
for name, result, arguments in (
    ("post_new", ctypes.c_void_p, []),
    ("observer_new", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]),
    ("observer_delete", None, [ctypes.c_void_p]),
    ("post_show", ctypes.c_int, [ctypes.c_void_p, ctypes.c_int]),
):
    function = getattr(post, name)
    function.restype, function.argtypes = result, arguments


class Screen:
    def __init__(self, signal, number):
        self.signal, self.number = signal, number
        self.handle = post.observer_new(signal.handle, number)

    def close(self):
        post.observer_delete(self.handle)
        self.handle = None


class Signal:
    ASPECTS = ("stop", "caution", "clear")

    def __init__(self):
        self.handle = post.post_new()

    def show(self, aspect):
        told = post.post_show(self.handle, self.ASPECTS.index(aspect))
        print(f"{aspect}: {told} observers", flush=True)


class Room:
    def __init__(self, signal):
        self.signal = signal
        self.screens = {}

    def open(self, number):
        self.screens[number] = Screen(self.signal, number)

    def close(self, number):
        self.screens.pop(number).close()


def main():
    signal = Signal()
    room = Room(signal)
    for number in range(6):
        room.open(number)
    signal.show("clear")
    room.close(3)
    signal.show("caution")
    room.open(6)
    signal.show("stop")


main()
