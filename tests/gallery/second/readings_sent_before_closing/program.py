# SPDX-License-Identifier: Apache-2.0
"""Readings of a weather mast are pushed to the archive before the mast sleeps again."""

import json
import os
import socket
from pathlib import Path

import zmq


def archive_endpoint():
    """Return where the archive listens; it comes up later than the mast."""
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        return f"tcp://127.0.0.1:{reserved.getsockname()[1]}"


class Mast:
    def __init__(self, endpoint):
        self.context = zmq.Context()
        self.outlet = self.context.socket(zmq.PUSH)
        self.outlet.connect(endpoint)

    def push(self, readings):
        for reading in readings:
            self.outlet.send(json.dumps(reading).encode())

    def go_to_sleep(self):
        self.outlet.close()
        self.context.term()


def main():
    mast = Mast(archive_endpoint())
    mast.push({"minute": minute, "wind": 4.2 + minute % 5} for minute in range(30))
    Path("ready").write_text(f"{os.getpid()}\n")
    mast.go_to_sleep()
    print("asleep")


if __name__ == "__main__":
    main()
