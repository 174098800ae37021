# SPDX-License-Identifier: Apache-2.0
"""Parses a feed in chunks; between two of them a bit is flipped in expat's own structure."""

import ctypes
import json
import os
import sys
from xml.parsers import expat


class Feed:
    def __init__(self):
        self.titles = []
        self.inside = False
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = False
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text

    def start(self, tag, attributes):
        self.inside = tag == "title"

    def end(self, tag):
        self.inside = False

    def text(self, data):
        if self.inside:
            self.titles.append(data)

    def feed(self, chunk, last=False):
        self.parser.Parse(chunk, last)


def text_segments(name):
    segments = []
    with open("/proc/self/maps") as maps:
        for line in maps:
            fields = line.split()
            if name in line and "x" in fields[1]:
                segments.append(tuple(int(part, 16) for part in fields[0].split("-")))
    return segments


def first_handler(parser):
    """Return where expat keeps the first handler that it was given."""
    structure = ctypes.c_size_t.from_address(id(parser) + 16).value
    segments = text_segments("pyexpat")
    for offset in range(0, 1200, 8):
        value = ctypes.c_size_t.from_address(structure + offset).value
        if any(begin <= value < end for begin, end in segments):
            return structure + offset
    raise LookupError("no handler")


def main():
    feed = Feed()
    feed.feed(b"<feed><title>Harbour opens</title>")
    place = first_handler(feed.parser)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place + 3, 1]]}) + "\n")
    sys.stdin.readline()
    feed.feed(b"<title>Ferry late again</title><title>Tides</title>")
    feed.feed(b"</feed>", True)
    print(feed.titles)


main()
