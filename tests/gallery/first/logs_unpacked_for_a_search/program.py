# SPDX-License-Identifier: Apache-2.0
"""Log search: unpacks rotated logs piece by piece and counts the lines that match."""

import gzip
import os
import zlib

PIECE = 1024


def rotated_log(hours):
    lines = ("%02d:%02d GET /basket/%d 200\n" % (hour, m, hour * m) for hour in range(hours)
             for m in range(60))  # fmt: skip
    return gzip.compress("".join(lines).encode("ascii"))


class Unpacker:
    """Gives the text of a packed log in pieces of bounded size."""

    def __init__(self, packed):
        self.packed = packed
        self.at = 0
        self.stream = zlib.decompressobj(wbits=31)

    def next_packed(self):
        piece = self.packed[self.at : self.at + PIECE]
        self.at += len(piece)
        return piece

    def __iter__(self):
        while not self.stream.eof:
            text = self.stream.decompress(self.stream.unconsumed_tail or self.next_packed(), 4096)
            if text:
                yield text


def count_matches(packed, word):
    return sum(text.count(word) for text in Unpacker(packed))


def main():
    logs = {"web1": rotated_log(24), "web2": rotated_log(24)[:-400], "web3": rotated_log(8)}
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for host, packed in logs.items():
        print(host, count_matches(packed, b"/basket/7 "))


main()
