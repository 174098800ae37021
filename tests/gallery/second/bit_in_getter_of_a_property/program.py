# SPDX-License-Identifier: Apache-2.0
"""Parcels of a carrier: weighed all day, measured when the van is loaded."""

import json
import os


class Parcel:
    def __init__(self, number):
        self.number = number
        self.sides = (20 + number % 30, 15 + number % 20, 10)

    @property
    def weight(self):
        return 300 + self.number * 37 % 9000

    @property
    def volume(self):
        long, wide, high = self.sides
        return long * wide * high


def heavy(parcels):
    return [parcel.number for parcel in parcels if parcel.weight > 8000]


def load(parcels, room):
    loaded = []
    for parcel in parcels:
        if parcel.volume < room:
            room -= parcel.volume
            loaded.append(parcel.number)
    return loaded


def main():
    parcels = [Parcel(number) for number in range(900)]
    print(len(heavy(parcels)), flush=True)
    getter = id(vars(Parcel)["volume"]) + 16
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[getter, 36]]}) + "\n")
    input()
    for hour in range(5):
        print(hour, len(heavy(parcels)), flush=True)
    print(len(load(parcels, 2_000_000)))


main()
