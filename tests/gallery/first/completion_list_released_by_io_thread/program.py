# SPDX-License-Identifier: Apache-2.0
"""A native client keeps the chunks of an upload until they are sent. Its I/O thread drops the last
reference to the list without the GIL, while Python waits."""

import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import uplink


class Uploader:
    def __init__(self):
        self.finished = threading.Event()

    def send(self, chunks):
        uplink.send(chunks)

    def wait(self):
        return self.finished.wait(5)


def cut(text, size):
    return [text[n : n + size] for n in range(0, len(text), size)]


def upload(uploader, text):
    uploader.send([cut(text, 10), cut(text, 20)])
    return uploader.wait()


def main():
    print(upload(Uploader(), "the quick brown fox jumps over the lazy dog " * 50))


main()
