# SPDX-License-Identifier: Apache-2.0
"""A program catches its own output in a pipe and means to read it afterwards; the output is larger
than the pipe.
"""

import contextlib
import os
import sys


@contextlib.contextmanager
def captured(chunks):
    kept = os.dup(1)
    reader, writer = os.pipe()
    os.dup2(writer, 1)
    os.close(writer)
    yield
    sys.stdout.flush()
    os.dup2(kept, 1)
    while chunk := os.read(reader, 65536):
        chunks.append(chunk)


def report(rows):
    for number in range(rows):
        print("row", number, "amount", number * number, "checked")


def main():
    chunks = []
    with captured(chunks):
        report(10)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    with captured(chunks):
        report(20000)
    print(len(b"".join(chunks)))


main()
