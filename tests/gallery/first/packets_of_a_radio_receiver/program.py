# SPDX-License-Identifier: Apache-2.0
"""Finds packets in what a radio receiver has captured; the capture grows while it is read."""

from receiver import PacketReader


def block(number, packets):
    out = bytearray()
    for packet in range(packets):
        payload = bytes([number % 251]) * (40 + packet % 90)
        out += len(payload).to_bytes(2, "little") + payload
    return out


class Capture:
    def __init__(self):
        self.data = block(0, 6000)
        self.reader = PacketReader(self.data)

    def extend(self, number):
        self.data += block(number, 60000)
        self.reader.note_growth(len(self.data))


def main():
    capture = Capture()
    total = 0
    for number in range(1, 12):
        for _ in range(9000):
            length = capture.reader.next()
            if length is None:
                break
            total += length
        print("block", number, "payload so far", total, flush=True)
        capture.extend(number)


if __name__ == "__main__":
    main()
