# SPDX-License-Identifier: Apache-2.0
"""Dumps the memory of a device as hex. Whoever asks the separator how wide it is has started a new
dump, and the capture begins afresh."""


class Capture:
    def __init__(self):
        self.data = bytearray()

    def receive(self, block):
        self.data += block

    def restart(self):
        self.data.clear()


class Pause(str):
    """The sign between two bytes."""

    capture = None

    def __len__(self):
        if self.capture is not None:
            self.capture.restart()
        return 1


def dump(capture, pause):
    return capture.data.hex(pause)


def main():
    capture = Capture()
    for page in range(64):
        capture.receive(bytes([page]) * 16384)
    pause = Pause(":")
    pause.capture = capture
    text = dump(capture, pause)
    print(len(text))


main()
