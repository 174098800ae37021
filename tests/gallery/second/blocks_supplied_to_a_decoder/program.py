# SPDX-License-Identifier: Apache-2.0
"""A tape reader decodes large blocks; the decoder calls back for each next block."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
BLOCK = 40 * 1024 * 1024
decoder = ctypes.CDLL(os.path.join(HERE, "decoder.so"))
Supply = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int)
decoder.decode.argtypes = [Supply, ctypes.c_int, ctypes.c_long]
decoder.decode.restype = ctypes.c_ulong


class Tape:
    def __init__(self, label, blocks):
        self.label, self.blocks = label, blocks
        self.supplied = 0

    def read_block(self, number):
        block = ctypes.create_string_buffer(BLOCK)
        block[:16] = f"{self.label}{number:04d}".encode().ljust(16, b"\0")
        return block

    def supply(self, number):
        """Give the decoder the address of a block."""
        block = self.read_block(number)
        self.supplied += 1
        return ctypes.addressof(block)

    def checksum(self):
        return decoder.decode(Supply(self.supply), self.blocks, BLOCK)


def main():
    tape = Tape("LTO-0071", 3)
    print(hex(tape.checksum()), tape.supplied)


main()
