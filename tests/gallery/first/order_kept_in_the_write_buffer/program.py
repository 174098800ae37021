# SPDX-License-Identifier: Apache-2.0
"""A client of a line protocol (as SMTP or memcached speak it) and its server in a thread."""

import json
import os
import socket
import threading


class StockServer(threading.Thread):
    def __init__(self, connection):
        super().__init__(name="stock-server", daemon=True)
        self.lines = connection.makefile("rw", newline="\n")
        self.stock = {"bolt": 40, "nut": 55}

    def run(self):
        for line in self.lines:
            verb, item, count = line.split()
            if verb == "TAKE":
                self.stock[item] -= int(count)
            self.lines.write("LEFT %d\n" % self.stock[item])
            self.lines.flush()


class StockClient:
    def __init__(self, connection):
        self.replies = connection.makefile("r", newline="\n")
        self.commands = connection.makefile("w", newline="\n")

    def take(self, item, count):
        self.commands.write("TAKE %s %d\n" % (item, count))
        return self.read_reply()

    def read_reply(self):
        word, left = self.replies.readline().split()
        return int(left)


def main():
    ours, theirs = socket.socketpair()
    StockServer(theirs).start()
    client = StockClient(ours)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(client.take("bolt", 12))


main()
