# SPDX-License-Identifier: Apache-2.0
"""A supervisor hands open files to its helper over a socket, with what else is to be told."""

import array
import os
import socket

PENDING = []


class Kind:
    """The kind of a control message, looked up by name when it is first used."""

    def __init__(self, name):
        self.name = name

    def __index__(self):
        kind = getattr(socket, self.name, None)
        if kind is None:
            drop_pending("unknown kind " + self.name)
            return 0
        return kind


def drop_pending(reason):
    print("dropped:", reason, flush=True)
    PENDING.clear()


def queue_file(path):
    descriptor = os.open(path, os.O_RDONLY)
    PENDING.append((socket.SOL_SOCKET, Kind("SCM_RIGHTS"), array.array("i", [descriptor])))


def queue_note(name, text):
    PENDING.append((socket.SOL_SOCKET, Kind(name), text))


def hand_over(channel):
    return channel.sendmsg([b"take these"], PENDING)


def main():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    queue_file("/dev/null")
    print(hand_over(ours), len(theirs.recvmsg(64, 256)[1]))
    queue_note("SCM_TRACE_OF_HELPER", b"id=17")
    queue_file("/dev/zero")
    queue_file("/dev/null")
    print(hand_over(ours))


main()
