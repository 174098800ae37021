# SPDX-License-Identifier: Apache-2.0
"""Prints its report at once; the index of the photos is finished by a thread behind it."""

import os
import threading


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def colours_of(photo):
    counts = [0] * 16
    for pixel in range(120_000):
        counts[(pixel * photo * 2654435761 >> 12) & 15] += 1
    return counts


def index_photos(index, photos):
    tell()
    for photo in photos:
        index[photo] = colours_of(photo)


def main():
    index, photos = {}, range(1, 5000)
    threading.Thread(target=index_photos, args=(index, photos), name="indexer").start()
    print("photos: %d" % len(photos))


main()
