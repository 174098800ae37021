# SPDX-License-Identifier: Apache-2.0
"""Two threads are the two ends of a connection; each sends 16 MiB before it reads, and both wait
for room.
"""

import os
import socket
import threading

STATE = bytes(16 << 20)


def receive_state(connection):
    wanted = len(STATE)
    while wanted:
        wanted -= len(connection.recv(65536))


def exchange_state(connection):
    connection.sendall(STATE)
    receive_state(connection)


def main():
    left, right = socket.socketpair()
    replica = threading.Thread(target=exchange_state, args=(left,), name="replica")
    replica.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    exchange_state(right)


main()
