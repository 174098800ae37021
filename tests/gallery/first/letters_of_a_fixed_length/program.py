# SPDX-License-Identifier: Apache-2.0
"""A reader takes messages of a fixed length from a stream whose writer has gone."""

import os
import socket


def take(connection, length):
    letter = b""
    while len(letter) < length:
        letter += connection.recv(length - len(letter))
    return letter


def main():
    ours, theirs = socket.socketpair()
    theirs.sendall(b"dear")
    theirs.close()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(take(ours, 10))


main()
