# SPDX-License-Identifier: Apache-2.0
"""Opens the doors of an office building for badges; one process for each entrance desk."""

import os
import time
from pathlib import Path

from prefork import PreforkServer

BADGES = {"4711": "Ines", "0815": "Paul"}


def open_door(connection, address):
    badge = connection.recv(64).decode().strip()
    connection.sendall(b"open\n" if badge in BADGES else b"closed\n")


def main():
    server = PreforkServer(open_door)
    server.spawn()
    time.sleep(0.7)
    second = server.spawn()
    server.spawn()
    Path("ready").write_text('{"pid": %d}\n' % second)
    server.watch()


if __name__ == "__main__":
    os.umask(0o077)
    main()
