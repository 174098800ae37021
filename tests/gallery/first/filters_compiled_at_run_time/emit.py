# SPDX-License-Identifier: Apache-2.0
"""A very small assembler for x86-64: what the filters need."""

import struct


class Code:
    def __init__(self):
        self.bytes = bytearray()
        self.labels = {}
        self.holes = []

    def emit(self, *values):
        self.bytes += bytes(values)

    def label(self, name):
        self.labels[name] = len(self.bytes)

    def compare(self, value):
        self.emit(0x48, 0x81, 0xFF)  # cmp rdi, imm32
        self.bytes += struct.pack("<i", value)

    def jump_if_below(self, name):
        self.emit(0x0F, 0x8C)  # jl rel32
        self.hole(name)

    def jump(self, name):
        self.emit(0xEB)  # jmp rel8
        self.holes.append((len(self.bytes), 1, name))
        self.emit(0)

    def give(self, value):
        self.emit(0xB8)  # mov eax, imm32
        self.bytes += struct.pack("<i", value)

    def hole(self, name):
        self.holes.append((len(self.bytes), 4, name))
        self.bytes += bytes(4)

    def finish(self):
        for place, size, name in self.holes:
            distance = self.labels[name] - place - size
            if size == 1:
                self.bytes[place] = distance & 0xFF
            else:
                self.bytes[place : place + 4] = struct.pack("<i", distance)
        return bytes(self.bytes)
