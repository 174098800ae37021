# SPDX-License-Identifier: Apache-2.0
import json
import socket


class Channel:
    def __init__(self, address):
        self.sock = socket.create_connection(address)
        self.stream = self.sock.makefile("rwb")

    def fileno(self):
        return self.sock.fileno()

    def send(self, message):
        self.stream.write(json.dumps(message).encode() + b"\n")
        self.stream.flush()

    def receive(self):
        line = self.stream.readline()
        if not line:
            raise ConnectionResetError("broker closed the connection")
        return json.loads(line)

    def close(self):
        self.stream.close()
        self.sock.close()
