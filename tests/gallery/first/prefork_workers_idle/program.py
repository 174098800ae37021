# SPDX-License-Identifier: Apache-2.0
"""A prefork server with two idle children that wait in accept(); the core is of one child, and
nothing is wrong with it.
"""

import os
import socket
import time


def serve(listener):
    while True:
        peer, _ = listener.accept()
        peer.sendall(b"hello")
        peer.close()


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    children = []
    for _ in range(2):
        pid = os.fork()
        if pid == 0:
            serve(listener)
        children.append(pid)
    with socket.create_connection(listener.getsockname()) as peer:
        peer.recv(10)
    time.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % children[0])
    os.waitpid(children[1], 0)


main()
