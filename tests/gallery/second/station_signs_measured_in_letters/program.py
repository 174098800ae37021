# SPDX-License-Identifier: Apache-2.0
"""Station signs of a long railway are laid out for a sign maker. The texts are kept by a small C
library, which is told how many letters each has."""

import ctypes
import dataclasses
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BOARD = 1600  # pixels

signs = ctypes.CDLL(os.path.join(HERE, "signs.so"))
signs.sign_new.restype = ctypes.c_void_p
signs.sign_new.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_int]
signs.sign_width.argtypes = [ctypes.c_void_p]
signs.sign_delete.argtypes = [ctypes.c_void_p]

WESTERN = ["Hamburg-Altona", "Berlin Ostbahnhof", "Frankfurt an der Oder", "Poznan Glowny"]
EASTERN = [
    "Нижний Новгород Московский", "Екатеринбург-Пассажирский", "Тюмень", "Новосибирск-Главный",
    "Красноярск-Пассажирский", "Иркутск-Пассажирский", "Слюдянка-Вторая", "Улан-Удэ",
    "Петровский Завод", "Биробиджан-Первый", "Хабаровск", "Владивосток",
]  # fmt: skip


@dataclasses.dataclass
class Sign:
    text: str
    platform: int
    handle: int = 0

    def order(self):
        """Have the library keep the sign."""
        self.handle = signs.sign_new(self.text.encode("utf-8"), len(self.text), self.platform)

    @property
    def width(self):
        return signs.sign_width(self.handle)

    def scrap(self):
        signs.sign_delete(self.handle)
        self.handle = 0


class Workshop:
    def __init__(self):
        self.signs = []

    def order_line(self, stations, platforms):
        for station in stations:
            for platform in range(1, platforms + 1):
                sign = Sign(station, platform)
                sign.order()
                self.signs.append(sign)

    def too_wide(self):
        return sorted({sign.text for sign in self.signs if sign.width > BOARD})

    def clear(self):
        """The order is through: nothing is kept."""
        while self.signs:
            self.signs.pop().scrap()


def main():
    workshop = Workshop()
    for name, stations in (("western", WESTERN), ("eastern", EASTERN)):
        workshop.order_line(stations, 3)
        print(
            name, "line:", len(workshop.signs), "signs; too wide:", workshop.too_wide(), flush=True
        )
        workshop.clear()
    return 0


if __name__ == "__main__":
    sys.exit(main())
