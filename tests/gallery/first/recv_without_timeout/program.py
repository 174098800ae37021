# SPDX-License-Identifier: Apache-2.0
"""The program reads from a server that accepted the connection and never answers."""

import os
import socket


def fetch_rates(peer):
    peer.sendall(b"GET /rates\r\n")
    return peer.recv(1000)


def main():
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    accepted, _ = server.accept()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(fetch_rates(client), accepted)


main()
