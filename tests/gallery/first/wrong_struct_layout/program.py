# SPDX-License-Identifier: Apache-2.0
"""The ctypes Structure lacks a field that the C struct has; the C code takes a length for a
pointer.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("packet.so"))


class Packet(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


def verify(data):
    packet = Packet(1, data, 0x51200000)
    return library.checksum(ctypes.byref(packet))


print(verify(b"x" * 100))
