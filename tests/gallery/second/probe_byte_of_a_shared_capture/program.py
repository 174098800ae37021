# SPDX-License-Identifier: Apache-2.0
"""Looks for the first frame marker in a ring of captured bytes that others may reset."""

import threading

SIZE = 24 << 20


class Capture:
    def __init__(self, size):
        self.data = bytearray(b"\x11" * size)
        self.resets = 0
        self.lock = threading.RLock()

    def reset(self):
        with self.lock:
            self.data.clear()
            self.resets += 1


class MarkerOf:
    """The marker byte of a protocol version, agreed upon when it is first asked for."""

    agreed = {}

    def __init__(self, capture, version):
        self.capture = capture
        self.version = version

    def __index__(self):
        if self.version not in self.agreed:
            # A new version: what was captured under the old one is void.
            self.capture.reset()
            self.agreed[self.version] = 0x7E + self.version
        return self.agreed[self.version]


def first_marker(capture, version):
    with capture.lock:
        return capture.data.find(MarkerOf(capture, version))


def main():
    MarkerOf.agreed[0] = 0x7E
    capture = Capture(SIZE)
    print("version 0:", first_marker(capture, 0))
    print("version 1:", first_marker(capture, 1))


main()
