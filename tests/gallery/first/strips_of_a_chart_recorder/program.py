# SPDX-License-Identifier: Apache-2.0
"""Chart recorder: each strip of samples is a native object that lends its samples as a buffer,
for the checksum and for the archive."""

import zlib

import strips


class Archive:
    def __init__(self):
        self.entries = {}

    def store(self, name, strip):
        checksum = zlib.crc32(strip)
        self.entries[name] = (checksum, len(zlib.compress(strip, 1)))
        return checksum


def record(count):
    return [strips.Strip(200 + 8 * number) for number in range(count)]


def main():
    archive = Archive()
    recorded = record(48)
    for number, strip in enumerate(recorded):
        archive.store("strip-%03d" % number, strip)
    notes = [["note", number, str(number)] for number in range(3000)]
    text = [b"\x6e" * (16 + number % 64) for number in range(3000)]
    peaks = [strip.peak() for strip in recorded]
    print(max(peaks), len(archive.entries), len(notes), len(text))


main()
