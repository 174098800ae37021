# SPDX-License-Identifier: Apache-2.0
"""A loop polls two sockets with a timeout in each turn."""

import os
import select
import socket

ports = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
for port in ports:
    port.bind(("127.0.0.1", 0))


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


ready()
while True:
    readable, _, _ = select.select(ports, [], [], 3.0)
    for port in readable:
        print(port.recv(100))
