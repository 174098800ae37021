# SPDX-License-Identifier: Apache-2.0
"""The moth catalogue of a museum: every record links to relatives and to host plants."""

import re
import zlib

LINK = re.compile(r'href="/(moth|plant)/(\d+)"')
PAGES = 1_000_003


class Record:
    __slots__ = ("path", "title", "body")

    def __init__(self, path, title, body):
        self.path, self.title, self.body = path, title, body


def fetch(path):
    """Return the record at a path, as the museum's server would send it."""
    seed = zlib.crc32(path.encode())
    kind = "moth" if seed & 1 else "plant"
    anchors = []
    for turn in range(6):
        seed = zlib.crc32(b"%d:%d" % (seed, turn))
        anchors.append(f'<a href="/{kind}/{seed % PAGES}">relative {turn}</a>')
    return Record(path, f"{kind} {seed % 997}", "<p>" + "</p><p>".join(anchors) + "</p>")


def links(record):
    """Return the paths a record points to."""
    return ["/%s/%s" % found for found in LINK.findall(record.body)]
