# SPDX-License-Identifier: Apache-2.0
"""Second controller of a water tower: takes over when the first one is no longer heard."""

import os
import socket
import sys
import time

INTERVAL = 0.5
PATIENCE = 8.0


def first_controller(port):
    """Runs the pumps and says so by a datagram, as long as its parent is there."""
    parent = os.getppid()
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    beat = 0
    while os.getppid() == parent:
        beat += 1
        sender.sendto(b"first %d" % beat, ("127.0.0.1", port))
        time.sleep(INTERVAL * (1 if beat < 3 else 14))
    os._exit(0)


class SecondController:
    def __init__(self):
        self.ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.ear.bind(("127.0.0.1", 0))
        self.ear.settimeout(PATIENCE)
        self.last_beat = 0

    def listen(self):
        while True:
            try:
                datagram, _ = self.ear.recvfrom(64)
            except socket.timeout:
                return
            self.last_beat = int(datagram.split()[1])
            if self.last_beat == 3:
                with open("ready", "w") as file:
                    file.write(f"{os.getpid()}\n")

    def run_pumps(self):
        sys.exit(f"first controller was silent after beat {self.last_beat}")


def main():
    second = SecondController()
    if os.fork() == 0:
        first_controller(second.ear.getsockname()[1])
    second.listen()
    second.run_pumps()


main()
