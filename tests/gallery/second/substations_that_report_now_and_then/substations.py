# SPDX-License-Identifier: Apache-2.0
"""Stands for the substations out in the country: three kept connections, rarely a line."""

import socket
import sys


def main():
    lines = []
    for name in ("hilltop", "quarry", "old-mill"):
        line = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        line.sendall(f"HELLO {name}\nLOAD 41.5\n".encode())
        lines.append(line)
    sys.stdin.read()


main()
