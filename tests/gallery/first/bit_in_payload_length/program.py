# SPDX-License-Identifier: Apache-2.0
"""Frames of a message queue are sealed with a checksum before they are sent."""

import json
import os
import zlib


class Frame:
    __slots__ = ("channel", "payload")

    def __init__(self, channel, payload):
        self.channel, self.payload = channel, payload


def checksum(frame):
    return zlib.crc32(frame.payload, frame.channel)


def seal(frames):
    return [(frame.channel, checksum(frame)) for frame in frames]


def flush(outbox):
    sealed = {}
    for topic, frames in sorted(outbox.items()):
        sealed[topic] = seal(frames)
    return sealed


def main():
    outbox = {
        topic: [Frame(n, f"{topic} {n}: ".encode() * 6) for n in range(40)]
        for topic in ("orders", "returns", "stock")
    }
    length = id(outbox["returns"][17].payload) + 16
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[length, 33], [length, 36]]}) + "\n")
    input()
    print(flush(outbox))


main()
