# SPDX-License-Identifier: Apache-2.0
"""Frames of the two protocol versions: a length, then JSON."""

import json
import struct

VERSION_1 = struct.Struct(">H")
VERSION_2 = struct.Struct(">I")


def receive_exactly(connection, count):
    data = bytearray()
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise EOFError("connection closed inside a frame")
        data += piece
    return bytes(data)


def send_frame(connection, header, message):
    body = json.dumps(message).encode()
    connection.sendall(header.pack(len(body)) + body)


def receive_frame(connection, header):
    (length,) = header.unpack(receive_exactly(connection, header.size))
    return json.loads(receive_exactly(connection, length))
