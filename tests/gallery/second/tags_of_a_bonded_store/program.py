# SPDX-License-Identifier: Apache-2.0
"""A bonded store tags its goods; each night the tags of goods that left are thrown away."""

import ctypes
import os
import threading

GOODS = ["cocoa beans", "green coffee", "raw silk of the second quality", "rum", "tea in chests"]
UNITS = {"rum": "litre", "raw silk of the second quality": "kilogram", "tea in chests": "chest"}

library = ctypes.CDLL(os.path.abspath("tags.so"))
library.tag_new.argtypes = [ctypes.c_char_p, ctypes.c_double]
library.tag_new.restype = ctypes.c_void_p
library.tag_set_unit.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
library.tag_text.argtypes = [ctypes.c_void_p]
library.tag_text.restype = ctypes.c_char_p
library.tag_free.argtypes = [ctypes.c_void_p]


class Lot:
    def __init__(self, number, goods):
        self.number = number
        self.goods = goods
        self.tag = library.tag_new(f"{goods} #{number:05}".encode(), 0.07 + number % 5 / 100)
        if goods in UNITS:
            library.tag_set_unit(self.tag, UNITS[goods].encode())

    @property
    def text(self):
        return library.tag_text(self.tag).decode()

    def leave(self):
        library.tag_free(self.tag)


class Store:
    def __init__(self):
        self.lots = {}
        self.lock = threading.Lock()
        self.night = threading.Event()

    def receive(self, number):
        lot = Lot(number, GOODS[number % len(GOODS)])
        with self.lock:
            self.lots[number] = lot

    def audit(self):
        while not self.night.wait(0.005):
            with self.lock:
                texts = [lot.text for lot in self.lots.values()]
            if len(set(texts)) != len(texts):
                raise ValueError("two lots under one tag")

    def clear(self, share):
        with self.lock:
            leaving = [number for number in self.lots if number % share == 0]
            for number in leaving:
                self.lots.pop(number).leave()
        return len(leaving)


def main():
    store = Store()
    auditor = threading.Thread(target=store.audit, name="auditor", daemon=True)
    auditor.start()
    for day in range(20):
        for number in range(day * 150, day * 150 + 150):
            store.receive(number)
        print("day", day, "left", store.clear(3), flush=True)
    store.night.set()
    print("kept", len(store.lots))


main()
