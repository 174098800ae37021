# SPDX-License-Identifier: Apache-2.0
"""As much of a PostgreSQL server as the program needs: it begins transactions and locks rows."""

import os
import re
import socket
import struct
import threading

SETTINGS = {
    "server_version": "14.9", "client_encoding": "UTF8", "server_encoding": "UTF8",
    "DateStyle": "ISO, MDY", "standard_conforming_strings": "on", "integer_datetimes": "on",
}  # fmt: skip
owners, changed = {}, threading.Condition()


def message(kind, body):
    return kind + struct.pack("!I", len(body) + 4) + body


def lock_row(row, client):
    with changed:
        while owners.setdefault(row, client) is not client:
            changed.wait()


def unlock_rows(client):
    with changed:
        for row in [row for row, owner in owners.items() if owner is client]:
            del owners[row]
        changed.notify_all()


def serve_client(client):
    stream = client.makefile("rb")
    stream.read(struct.unpack("!I", stream.read(4))[0] - 4)
    client.sendall(message(b"R", struct.pack("!I", 0)))
    for name, value in SETTINGS.items():
        client.sendall(message(b"S", name.encode() + b"\0" + value.encode() + b"\0"))
    client.sendall(message(b"K", struct.pack("!II", 1, 2)) + message(b"Z", b"I"))
    state = b"I"
    while (kind := stream.read(1)) == b"Q":
        query = stream.read(struct.unpack("!I", stream.read(4))[0] - 4)[:-1].decode()
        word = query.split()[0].upper()
        if word == "UPDATE":
            lock_row(re.search(r"id = (\d+)", query)[1], client)
        elif word in ("COMMIT", "ROLLBACK"):
            unlock_rows(client)
        state = {"BEGIN": b"T", "UPDATE": b"T"}.get(word, b"I")
        tag = b"UPDATE 1\0" if word == "UPDATE" else word.encode() + b"\0"
        client.sendall(message(b"C", tag) + message(b"Z", state))
    unlock_rows(client)


def serve(listener):
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve_client, args=(client,), daemon=True).start()


def serve_in_child():
    listener = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        serve(listener)
    port = listener.getsockname()[1]
    listener.close()
    return port
