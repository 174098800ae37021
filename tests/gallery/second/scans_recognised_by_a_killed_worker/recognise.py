"""What a worker does with a page: the engine asks for memory by the size of the page."""

import os
import signal
import zlib

LIMIT = 40_000_000  # pixels; the container's memory ends about here


def initialise():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def recognise(page):
    name, width, height = page
    if width * height > LIMIT:
        # As the kernel's killer of the container does when the limit is reached.
        os.kill(os.getpid(), signal.SIGKILL)
    row = bytes(n % 251 for n in range(width))
    digest = 0
    for _ in range(height // 64):
        digest = zlib.crc32(row, digest)
    return name, "%08x" % digest
