# SPDX-License-Identifier: Apache-2.0
"""Prepares the addresses of a mailing: converts their letters and sorts them."""

import os

from converter import Converter
from filters import Filter

STREETS = ["Mühlgasse 4", "Ährenweg 12", "Zöllnerstraße 1", "Bäckergang 9", "Am Tor 3"]


class Mailing:
    def __init__(self, streets):
        self.streets = streets
        self.sorter = Filter("/usr/bin/sort")
        self.converter = Converter()

    def prepare(self):
        for street in self.streets:
            self.sorter.write(self.converter.convert(street))
        with open("ready", "w") as told:
            told.write(f"{os.getpid()}\n")
        return self.sorter.finish()


def main():
    for line in Mailing(STREETS).prepare():
        print(line)


if __name__ == "__main__":
    main()
