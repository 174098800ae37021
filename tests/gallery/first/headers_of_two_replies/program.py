# SPDX-License-Identifier: Apache-2.0
"""A cache compares the headers of two replies; header names are equal whatever their case."""

import collections


class Name:
    """Name of a header; `seen` is told who was asked for."""

    __slots__ = ("text", "seen")

    def __init__(self, text, seen):
        self.text = text
        self.seen = seen

    def __hash__(self):
        return hash(self.text.lower())

    def __eq__(self, other):
        self.seen(self, other)
        return self.text.lower() == other.text.lower()


class Reply:
    def __init__(self, pairs, limit):
        self.limit = limit
        self.looked_up = 0
        self.headers = collections.OrderedDict()
        for name, value in pairs:
            self.headers[Name(name, self.seen)] = value

    def seen(self, name, other):
        self.looked_up += 1
        if self.looked_up > self.limit:
            self.forget()

    def forget(self):
        self.looked_up = 0
        self.headers.clear()


def reply(count, limit):
    return Reply([(f"X-Trace-{n}", f"value {n}") for n in range(count)], limit)


def main():
    stored = reply(120, 1000)
    for limit in (500, 200, 40):
        fresh = reply(120, limit)
        print(limit, fresh.headers == stored.headers, flush=True)


main()
