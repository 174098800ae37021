# SPDX-License-Identifier: Apache-2.0
"""Reads the operators of a page's content stream."""

from io import BytesIO

WHITESPACE = b" \t\r\n\x00\x0c"
DELIMITERS = b"()<>[]{}/%"


class ContentReader:
    """Turns a content stream into (operands, operator) pairs."""

    def __init__(self, data):
        self.stream = BytesIO(data)

    def peek(self):
        byte = self.stream.read(1)
        if byte:
            self.stream.seek(-1, 1)
        return byte

    def skip_whitespace(self):
        while (byte := self.stream.read(1)) and byte in WHITESPACE:
            pass
        if byte:
            self.stream.seek(-1, 1)

    def skip_comment(self):
        byte = self.stream.read(1)
        while byte not in (b"\r", b"\n"):
            byte = self.stream.read(1)

    def read_string(self):
        self.stream.read(1)
        text = b""
        while (byte := self.stream.read(1)) not in (b")", b""):
            text += byte
        return text.decode("latin-1")

    def read_word(self):
        word = b""
        while (byte := self.peek()) and byte not in WHITESPACE and byte not in DELIMITERS:
            word += self.stream.read(1)
        if not word:
            self.stream.read(1)
        return word.decode("latin-1")

    def operations(self):
        operands = []
        while True:
            self.skip_whitespace()
            byte = self.peek()
            if not byte:
                return
            if byte == b"%":
                self.skip_comment()
            elif byte == b"(":
                operands.append(self.read_string())
            else:
                word = self.read_word()
                if word.replace(".", "", 1).lstrip("-").isdigit():
                    operands.append(float(word))
                elif word:
                    yield operands, word
                    operands = []
