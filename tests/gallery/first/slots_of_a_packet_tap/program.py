# SPDX-License-Identifier: Apache-2.0
"""Network tap: two capture threads store their packets in one native ring."""

import ctypes
import os
import threading

ring = ctypes.CDLL(os.path.abspath("packet_ring.so"))
ring.ring_put.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
ring.ring_put.restype = ctypes.c_int
ring.ring_used.restype = ctypes.c_long


class Tap(threading.Thread):
    def __init__(self, device, packets):
        super().__init__(name="tap-" + device)
        self.packets = packets
        self.stored = self.refused = 0

    def run(self):
        for packet in self.packets:
            if ring.ring_put(packet, len(packet)) < 0:
                self.refused += 1
            else:
                self.stored += 1


def capture(device, sizes):
    tap = Tap(device, [bytes([65 + size % 26]) * size for size in sizes])
    tap.start()
    return tap


def main():
    first = capture("eth0", [60, 590, 1514, 60, 9018])
    first.join()
    second = capture("eth1", [60, 60, 1514])
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    second.join()
    print(first.stored + second.stored, "packets,", ring.ring_used(), "bytes")


main()
