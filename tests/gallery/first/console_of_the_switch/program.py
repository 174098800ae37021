# SPDX-License-Identifier: Apache-2.0
"""Sets the port speeds of a switch over its serial console, which is a terminal."""

import os
import pty
import subprocess
import time

CONSOLE = 'printf "switch-7 booted\\r\\n"; printf "Passphrase: "; read -r word; printf "switch-7> "'


class Console:
    def __init__(self, command):
        self.screen, inner = pty.openpty()
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", command], stdin=inner, stdout=inner, stderr=inner,
            start_new_session=True,
        )  # fmt: skip
        os.close(inner)
        self.seen = b""

    def expect(self, prompt):
        while prompt not in self.seen:
            self.seen += os.read(self.screen, 1024)
        self.seen = b""

    def say(self, line):
        os.write(self.screen, line.encode() + b"\r")


def set_speed(console, port, speed):
    console.expect(b"password:")
    console.say("tr0ut")
    console.expect(b"switch-7>")
    console.say("port %d speed %d" % (port, speed))


def main():
    console = Console(CONSOLE)
    time.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    set_speed(console, 12, 1000)


main()
