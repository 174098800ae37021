# SPDX-License-Identifier: Apache-2.0
"""An inventory of cluster nodes: what the kernel says of itself, and the duty roster of each."""

import ctypes
import ctypes.util

LIBC = ctypes.CDLL(ctypes.util.find_library("c") or "libc.so.6")


class Names(ctypes.Structure):
    _fields_ = [
        ("sysname", ctypes.c_char * 65),
        ("nodename", ctypes.c_char * 65),
        ("release", ctypes.c_char * 65),
        ("version", ctypes.c_char * 65),
        ("machine", ctypes.c_char * 65),
    ]


class Node:
    def __init__(self, number):
        self.number = number
        self.names = Names()
        self.roster = ["%s-%d" % ("abc"[(hour + number) % 3], hour) for hour in range(42)][:]

    def identify(self):
        if LIBC.uname(ctypes.byref(self.names)):
            raise OSError("uname")
        return self.names.release.decode()

    def on_duty(self, hour):
        return self.roster[hour].upper()


def night_watch(nodes):
    return {node.number: [node.on_duty(hour) for hour in range(6)] for node in nodes}


def main():
    nodes = [Node(number) for number in range(120)]
    print({node.identify() for node in nodes})
    print(len(night_watch(nodes)))


main()
