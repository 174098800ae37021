# SPDX-License-Identifier: Apache-2.0
"""A connection gathers what it receives, and cuts lines off."""

import json
import os


class Connection:
    def __init__(self):
        self.received = bytearray()

    def feed(self, part):
        self.received += part

    def lines(self):
        *whole, rest = self.received.split(b"\n")
        self.received = bytearray(rest)
        return whole


def main():
    connection = Connection()
    for number in range(400):
        connection.feed(b"GET /%d HTTP/1.1\nHost: a\n" % number)
    with open("ready", "w") as file:
        told = {"pid": os.getpid(), "memory": [[id(connection.received) + 40, 39]]}
        file.write(json.dumps(told) + "\n")
    input()
    print(len(connection.lines()))


main()
