# SPDX-License-Identifier: Apache-2.0
"""Heat meters of a block of flats, read in a loop that is hot enough to be specialised."""

import ctypes
import json
import os


class HeatMeter:
    def __init__(self, flat):
        self.flat = flat
        self.units = 0

    def read(self, hour):
        self.units += (self.flat + hour) % 5
        return self.units


def read_all(meters, hour):
    total = 0
    for meter in meters:
        total += meter.read(hour)
    return total


def kept_in(code, address):
    """Return where a code object keeps an address: in the cache of an instruction."""
    size = code.__sizeof__() - 8
    memory = ctypes.string_at(id(code), size)
    found = memory.find(address.to_bytes(8, "little"))
    if found < 0:
        raise LookupError("not specialised")
    return id(code) + found


def main():
    meters = [HeatMeter(flat) for flat in range(200)]
    for hour in range(24):
        total = read_all(meters, hour)
    print(total, flush=True)
    victim = kept_in(read_all.__code__, id(HeatMeter.read))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[victim, 40]]}) + "\n")
    input()
    for hour in range(24):
        total = read_all(meters, hour)
    print(total)


main()
