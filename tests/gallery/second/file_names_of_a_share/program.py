# SPDX-License-Identifier: Apache-2.0
"""Inventory of a file share: how many documents of each kind; some names are old Latin-1 ones."""

import os
import tempfile

import names

FILES = [b"offer.pdf", b"plan.dwg", b"stra\xdfe.pdf", b"zebra.txt"]


def list_share(folder):
    return sorted(os.listdir(folder))


def inventory(folder):
    found = list_share(folder)
    return {suffix: names.count_suffix(found, suffix) for suffix in (".pdf", ".dwg", ".txt")}


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            with open(os.path.join(os.fsencode(folder), name), "w"):
                pass
        print(inventory(folder))


main()
