# SPDX-License-Identifier: Apache-2.0
"""A telescope's camera sends a frame when the cloud is gone; the kernel fills the buffer."""

import os
import socket
import threading
import time
from pathlib import Path

HEADER = 16


class Camera:
    """Receives into one buffer, whose first byte tells that a frame has begun."""

    def __init__(self, connection):
        self.connection = connection
        self.buffer = bytearray(HEADER)

    def receive(self):
        """Waits in the kernel until the camera has sent a header."""
        self.connection.recv_into(self.buffer)


def wait_for_frame(buffer):
    """Returns once the header is there."""
    while not buffer[0]:
        time.sleep(0.2)


def main():
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        time.sleep(1800)
        theirs.send(b"F" * HEADER)
        os._exit(0)
    theirs.close()
    camera = Camera(ours)
    threading.Thread(target=camera.receive, name="camera", daemon=True).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    wait_for_frame(camera.buffer)
    print("frame", camera.buffer.hex())


if __name__ == "__main__":
    main()
