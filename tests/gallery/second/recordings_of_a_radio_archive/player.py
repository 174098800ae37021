# SPDX-License-Identifier: Apache-2.0
"""Plays a recording; PAUSE is the number of bytes after which somebody presses the button."""

import socket
import sys
import time

port, number, pause = map(int, sys.argv[1:])
with socket.create_connection(("127.0.0.1", port)) as server:
    server.sendall(b"GET /recordings/%d HTTP/1.1\r\nConnection: close\r\n\r\n" % number)
    heard = 0
    while block := server.recv(4096):
        heard += len(block)
        if pause and heard >= pause:
            time.sleep(3600)
