# SPDX-License-Identifier: Apache-2.0
"""A message gateway packs its events with a compiled codec."""

import framecodec


class Event:
    def __init__(self, number, text):
        self.number = number
        self.text = text


def outgoing(events):
    for event in events:
        yield framecodec.pack(event.number, event.text)


def main():
    events = [Event(n, "event %d" % n) for n in range(10)]
    print(framecodec.version())
    print(sum(map(len, outgoing(events))))


main()
