"""A receiver of a weather satellite as a raw stream; the passes are recorded in advance here."""

import io


class Receiver(io.RawIOBase):
    """Fills what it is given; the tail of a pass comes late, when the demodulator has settled."""

    def __init__(self, passes):
        self.passes = iter(passes)
        self.late = []
        self.lines = 0

    def readable(self):
        return True

    def readinto(self, memory):
        line = next(self.passes, b"")
        if not line:
            return 0
        self.lines += 1
        memory[: len(line)] = line
        # The last pixels of the line are only estimates now: remember where they lie.
        self.late.append((memory, len(line) - 64, len(line)))
        return len(line)

    def settle(self, level):
        """Replace the estimates by what the demodulator has found."""
        for memory, begin, end in self.late:
            memory[begin:end] = bytes([level]) * (end - begin)
        settled, self.late = len(self.late), []
        return settled
