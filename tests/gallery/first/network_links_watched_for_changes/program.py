# SPDX-License-Identifier: Apache-2.0
"""Watch the network links of a machine for changes, as the kernel announces them."""

import os
import socket
import struct

NEW_LINK, DROPPED_LINK = 16, 17
LINKS = 1


class LinkWatcher:
    def __init__(self):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        self.socket.bind((0, LINKS))
        self.seen = []

    def messages(self):
        data = self.socket.recv(65536)
        while len(data) >= 16:
            length, kind = struct.unpack_from("=LH", data)
            yield kind, data[16:length]
            data = data[(length + 3) & ~3 :]

    def run(self):
        while True:
            for kind, body in self.messages():
                if kind in (NEW_LINK, DROPPED_LINK):
                    self.seen.append((kind, struct.unpack_from("=i", body, 4)[0]))


def main():
    watcher = LinkWatcher()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    watcher.run()


main()
