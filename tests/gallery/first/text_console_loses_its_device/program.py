# SPDX-License-Identifier: Apache-2.0
"""Reads a console as text. The device tells of its unplugging in the middle of a read, and the
console lets go of it."""

import io


class UsbSerial(io.RawIOBase):
    def __init__(self):
        self.reads = 0
        self.unplugged = None

    def readable(self):
        return True

    def readinto(self, buffer):
        self.reads += 1
        if self.reads == 3:
            self.unplugged()
            return 0
        text = b"sensor ready\n"
        buffer[: len(text)] = text
        return len(text)


class Console:
    def __init__(self, device):
        device.unplugged = self.release
        self.device = device
        self.text = io.TextIOWrapper(io.BufferedReader(device, 64), encoding="utf-8")

    def release(self):
        self.text.detach()

    def everything(self):
        return self.text.read()


console = Console(UsbSerial())
print(console.everything())
