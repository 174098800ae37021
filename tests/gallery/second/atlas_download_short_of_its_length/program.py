# SPDX-License-Identifier: Apache-2.0
"""A hiking atlas fetches its sheets over one kept connection."""

import http.client
import os
import pathlib

import tileserver


class Atlas:
    def __init__(self, port, folder):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)

    def probe(self):
        self.connection.request("HEAD", "/")
        answer = self.connection.getresponse()
        answer.read()
        return answer.status == 204

    def fetch_sheet(self, number):
        self.connection.request("GET", "/sheet/%d" % number)
        answer = self.connection.getresponse()
        if answer.status != 200:
            answer.read()
            raise LookupError("sheet %d: %d" % (number, answer.status))
        expected = int(answer.headers["Content-Length"])
        print("sheet %d: %d bytes to come" % (number, expected), flush=True)
        return answer.read()

    def save(self, number, body):
        path = self.folder / ("sheet-%d.txt" % number)
        path.write_bytes(body)
        return path

    def download(self, numbers):
        saved = []
        for number in numbers:
            saved.append(self.save(number, self.fetch_sheet(number)))
        return saved


def main():
    atlas = Atlas(tileserver.start(), "sheets")
    if not atlas.probe():
        raise SystemExit("no atlas today")
    try:
        atlas.fetch_sheet(99)
    except LookupError as error:
        print("probe of an absent sheet:", error, flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print("%d sheets saved" % len(atlas.download(range(1, 8))))


main()
