# SPDX-License-Identifier: Apache-2.0
"""A newsroom takes copy from its correspondents: each dispatch ends when the sender hangs up."""

import os
import socket
import threading

from correspondent import Correspondent


class Newsroom:
    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(5)
        self.dispatches = []
        self.desk = threading.Thread(target=self.take_copy, name="copy-desk")

    @property
    def address(self):
        return self.listener.getsockname()

    def take_copy(self):
        connection, _ = self.listener.accept()
        with connection, connection.makefile("r", encoding="utf-8") as wire:
            headline = wire.readline().strip()
            paragraphs = []
            for line in wire:
                if line.strip():
                    paragraphs.append(line.strip())
        self.dispatches.append((headline, paragraphs))

    def print_page(self):
        for headline, paragraphs in self.dispatches:
            print(headline.upper())
            for paragraph in paragraphs:
                print("   " + paragraph)


STORY = (
    "Ferry service to the islands resumes",
    [
        "After eleven days of ice the ferries sailed again on Tuesday.",
        "The mail of a week and a half was carried on the first crossing.",
    ],
)


def main():
    newsroom = Newsroom()
    newsroom.desk.start()
    correspondent = Correspondent("Ostrava", newsroom.address)
    headline, paragraphs = STORY
    correspondent.file_story(headline, paragraphs)
    correspondent.hang_up()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    newsroom.desk.join()
    newsroom.print_page()
    print("%d words by %s" % (correspondent.words, correspondent.name))


main()
