# SPDX-License-Identifier: Apache-2.0
"""Packs messages for a terminal; a C library stores the length of each in front of it."""

import ctypes
from pathlib import Path

LIBRARY = ctypes.CDLL(str(Path(__file__).with_name("framing.so")))
LIBRARY.frame.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
HEAD = 4


class Message:
    def __init__(self, text):
        self.buffer = bytearray(HEAD + len(text))
        self.buffer[HEAD:] = text

    def framed(self, skip=HEAD):
        place = (ctypes.c_char * len(self.buffer)).from_buffer(self.buffer)
        LIBRARY.frame(ctypes.addressof(place) + skip, len(self.buffer) - HEAD)
        del place
        return self

    @classmethod
    def of_lines(cls, lines):
        return cls(b"\n".join(lines))


class Terminal:
    def __init__(self):
        self.sent = []

    def send(self, message):
        self.sent.append(message)
        if len(self.sent) > 8:
            self.sent.pop(0)


def main():
    terminal = Terminal()
    for screen in range(30):
        lines = [b"line %d of screen %d" % (number, screen) for number in range(60 + screen)]
        message = Message.of_lines(lines)
        if screen < 12:
            terminal.send(message.framed())
        else:
            # The short form has its length in front of the buffer's first byte.
            terminal.send(message.framed(skip=0))
    print(len(terminal.sent), flush=True)


main()
