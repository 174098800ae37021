# SPDX-License-Identifier: Apache-2.0
"""The catalogue of a backup folder: each file name gets a key, computed by catalogue.so."""

import os

import catalogue

NAMES = [b"2009-autumn.tar", b"2011-spring.tar", b"2012-caf\xe9-menu.tar", b"2014-summer.tar"]


def make_folder(folder):
    os.makedirs(folder, exist_ok=True)
    for name in NAMES:
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(b"tar")


def index(folder):
    keys = {}
    for name in sorted(os.listdir(folder)):
        keys[catalogue.key(name)] = name
    return keys


def main():
    make_folder("backups")
    print(len(index("backups")), "backups")


main()
