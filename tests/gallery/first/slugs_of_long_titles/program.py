# SPDX-License-Identifier: Apache-2.0
"""The nightly import of a newspaper's archive: each article gets an address of its own."""

import os
import re

LONGEST = 28


class Archive:
    def __init__(self):
        self.addresses = {}

    def free_address(self, title):
        words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        address, number = words[:LONGEST], 1
        while address in self.addresses:
            number += 1
            address = ("%s-%d" % (words, number))[:LONGEST]
        return address

    def add(self, title, page):
        self.addresses[self.free_address(title)] = (title, page)


TITLES = [
    "Storm over the polder",
    "Mayor opens bridge",
    "Mayor opens bridge",
    "Council postpones the vote on the swimming pool again",
    "Letters from our readers",
    "Council postpones the vote on the swimming pool once more",
]


def main():
    archive = Archive()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for page, title in enumerate(TITLES, 1):
        archive.add(title, page)
    print(sorted(archive.addresses))


main()
