# SPDX-License-Identifier: Apache-2.0
"""Soak of a feed reader: what remains of it when an allocation fails, one after the other."""

import _testcapi
from xml.parsers import expat

FEED = b"<feed><item id='1'>quiet</item><item id='2'>louder</item></feed>"


class Feed:
    def __init__(self):
        self.items = []

    def start(self, tag, attributes):
        if tag == "item":
            self.items.append(attributes["id"])

    def read(self, data):
        parser = expat.ParserCreate()
        parser.StartElementHandler = self.start
        parser.Parse(data, True)
        return len(self.items)


def soak(rounds):
    failures = 0
    for allowed in range(rounds):
        _testcapi.set_nomemory(allowed, allowed + 1)
        try:
            Feed().read(FEED)
        except (MemoryError, expat.ExpatError):
            failures += 1
        finally:
            _testcapi.remove_mem_hooks()
    return failures


def main():
    print(Feed().read(FEED), "items")
    print(soak(120), "failures", flush=True)


main()
