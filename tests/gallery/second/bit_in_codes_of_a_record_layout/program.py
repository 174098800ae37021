# SPDX-License-Identifier: Apache-2.0
"""A meter gateway decodes fixed records; the layout is compiled once at the start."""

import json
import os
import struct

S_CODES = 32  # of a struct.Struct: head, size, length, and then its table of codes


class Gateway:
    def __init__(self):
        self.layout = struct.Struct("<IHhd")
        self.totals = {}

    def decode(self, record):
        meter, quality, _, value = self.layout.unpack(record)
        if quality:
            self.totals[meter] = self.totals.get(meter, 0.0) + value

    def telegram(self, meters):
        pack = self.layout.pack
        return [pack(meter, meter % 7, -4, meter / 8) for meter in meters]


def poll(gateway, rounds):
    for _ in range(rounds):
        for record in gateway.telegram(range(1000, 1100)):
            gateway.decode(record)
    return round(sum(gateway.totals.values()), 2)


def main():
    gateway = Gateway()
    print(poll(gateway, 20), flush=True)
    with open("ready", "w") as file:
        place = id(gateway.layout) + S_CODES
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 41]]}) + "\n")
    input()
    print(poll(gateway, 20), flush=True)


main()
