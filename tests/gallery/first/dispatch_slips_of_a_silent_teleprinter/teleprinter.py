# SPDX-License-Identifier: Apache-2.0
"""A teleprinter emulated on a pseudo terminal: the desk writes to one end, paper comes out of the
other."""

import os
import threading
import tty


class Teleprinter:
    def __init__(self):
        self.paper, self.keyboard = os.openpty()
        tty.setraw(self.keyboard)

    def type(self, text):
        """Type a text; return how many bytes went."""
        data = memoryview(text.encode("ascii", "replace"))
        sent = 0
        while sent < len(data):
            sent += os.write(self.keyboard, data[sent : sent + 512])
        return sent

    def tear_off(self, size):
        """Return that many bytes of printed paper."""
        parts = []
        while size > 0:
            part = os.read(self.paper, min(size, 4096))
            parts.append(part)
            size -= len(part)
        return b"".join(parts).decode("ascii")


class TypingJob(threading.Thread):
    """Types slips one after another."""

    def __init__(self, printer, slips):
        super().__init__(name="typist")
        self.printer, self.slips = printer, slips
        self.typed = 0

    def run(self):
        for slip in self.slips:
            self.typed += self.printer.type(slip)
