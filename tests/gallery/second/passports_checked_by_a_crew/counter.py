# SPDX-License-Identifier: Apache-2.0
"""The counter at the border: lines of passports come over a socket."""

import socket


class Counter:
    def __init__(self, crew, path):
        self.crew = crew
        self.server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.server.bind(path)
        self.server.listen(8)

    def serve(self):
        while True:
            lane, _ = self.server.accept()
            with lane, lane.makefile("rw") as stream:
                for line in stream:
                    passports = [word.split("/") for word in line.split()]
                    asked = [(number, int(digit)) for number, digit in passports]
                    stream.write(" ".join(map(str, self.crew.check(asked))) + "\n")
                    stream.flush()
