# SPDX-License-Identifier: Apache-2.0
"""Reads the pages of a register from a file, each with the place where the next one begins."""

import os
from pathlib import Path


class Page:
    def __init__(self, number, length, title):
        self.number = number
        self.length = length
        self.title = title


class Register:
    def __init__(self, path):
        self.file = open(path, "rb")
        self.place = 0
        self.pages = []

    def next_page(self):
        self.file.seek(self.place)
        head = self.file.read(16)
        if len(head) < 16:
            return None
        page = Page(head[0], head[1], head[2:].decode())
        self.place += page.length
        self.pages.append(page)
        return page

    def load(self):
        while self.next_page() is not None:
            pass
        return self.pages


def main():
    pages = [bytes([n, 16 if n < 3 else 0]) + f"page {n:9}".encode() for n in range(1, 6)]
    Path("register").write_bytes(b"".join(pages))
    Path("ready").write_text(f"{os.getpid()}\n")
    print(len(Register("register").load()))


if __name__ == "__main__":
    main()
