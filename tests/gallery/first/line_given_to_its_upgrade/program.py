# SPDX-License-Identifier: Apache-2.0
"""A modem line. When the other side announces the new protocol the line is taken out of the
buffered reader and handed to the protocol's own code."""

import io


class ModemLine(io.RawIOBase):
    def __init__(self, blocks):
        self.blocks = list(blocks)
        self.on_upgrade = None

    def readable(self):
        return True

    def readinto(self, buffer):
        if not self.blocks:
            return 0
        block = self.blocks.pop(0)
        if block.startswith(b"UPGRADE") and self.on_upgrade:
            self.on_upgrade()
        buffer[: len(block)] = block
        return len(block)


class Session:
    def __init__(self, line):
        self.reader = io.BufferedReader(line, buffer_size=512)
        self.plain_line = None
        line.on_upgrade = self.take_over

    def take_over(self):
        self.plain_line = self.reader.detach()

    def greeting(self, size):
        return self.reader.read(size)


line = ModemLine([b"HELLO 1\r\n", b"UPGRADE 2\r\n", b"BINARY" * 20])
session = Session(line)
print(session.greeting(2000))
