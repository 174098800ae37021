# SPDX-License-Identifier: Apache-2.0
"""Stands for the cache server; a node that died an hour ago has left its key."""

import socket

KEPT = {b"lock:settlement:2024-05-02": b"9b1d"}


def answer(words):
    if words[0] == b"SET":
        if words[-1] == b"NX" and words[1] in KEPT:
            return b"$-1\r\n"
        KEPT[words[1]] = words[2]
        return b"+OK\r\n"
    if words[0] == b"GET":
        value = KEPT.get(words[1])
        return b"$-1\r\n" if value is None else b"$%d\r\n%s\r\n" % (len(value), value)
    return b":%d\r\n" % (KEPT.pop(words[1], None) is not None)


server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
connection, _ = server.accept()
stream = connection.makefile("rb")
while head := stream.readline():
    words = []
    for _ in range(int(head[1:])):
        stream.readline()
        words.append(stream.readline().rstrip())
    connection.sendall(answer(words))
