# SPDX-License-Identifier: Apache-2.0
"""A receiver checks the sums of the packets that it keeps as views into one buffer."""

import ctypes
import json
import os


def packets(buffer, size):
    view = memoryview(buffer)
    return [view[start : start + size] for start in range(0, len(buffer), size)]


def checksum(packet):
    return sum(packet) & 0xFFFF


def main():
    buffer = bytearray(range(256)) * 64
    some = packets(buffer, 1024)
    print([checksum(packet) for packet in some])
    shape = ctypes.c_void_p.from_address(id(some[5]) + 104).value
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[shape, 35]]}) + "\n")
    input()
    print([checksum(packet) for packet in some])


main()
