# SPDX-License-Identifier: Apache-2.0
"""A log whose sink is a ring of chunks; a full ring takes itself out of the text layer."""

import io


class Ring(io.RawIOBase):
    def __init__(self, chunks):
        super().__init__()
        self.chunks = []
        self.limit = chunks
        self.text = None

    def writable(self):
        return True

    def write(self, data):
        self.chunks.append(bytes(data))
        return len(data)

    @property
    def closed(self):
        if self.text is not None and len(self.chunks) >= self.limit:
            text, self.text = self.text, None
            text.detach()
        return False


class Log:
    def __init__(self, name, chunks):
        self.name = name
        self.ring = Ring(chunks)
        self.text = io.TextIOWrapper(self.ring, encoding="utf-8", write_through=True)

    def note(self, line):
        self.text.write(line + "\n")

    def finish(self):
        self.ring.text = self.text
        self.text.close()


def main():
    for name, lines in (("door", 3), ("lift", 64)):
        log = Log(name, 16)
        for number in range(lines):
            log.note(f"{name} {number}")
        log.finish()
        print(name, len(log.ring.chunks), flush=True)


main()
