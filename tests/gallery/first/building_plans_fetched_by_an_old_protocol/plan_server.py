# SPDX-License-Identifier: Apache-2.0
"""Just enough of an FTP server for a land registry's plans (RFC 959, passive mode only)."""

import socket
import threading
import zlib


def plan(name):
    """Return the bytes of a plan."""
    size = {"small.dxf": 9_000, "quarter.dxf": 24_000_000}.get(name)
    if size is None:
        raise KeyError(name)
    return (b"%08x\n" % zlib.crc32(name.encode())) * (size // 9)


class PlanServer(threading.Thread):
    """Serves one client after another."""

    def __init__(self):
        super().__init__(name="plan-server", daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def run(self):
        while True:
            control, _ = self.listener.accept()
            with control:
                self.attend(control)

    def attend(self, control):
        lines = control.makefile("r", newline="\r\n")
        passive = None
        self.say(control, "220 plans ready")
        for line in lines:
            word, _, rest = line.strip().partition(" ")
            if word == "USER":
                self.say(control, "230 welcome")
            elif word == "TYPE":
                self.say(control, "200 as you like")
            elif word == "PASV":
                passive = socket.create_server(("127.0.0.1", 0))
                high, low = divmod(passive.getsockname()[1], 256)
                self.say(control, f"227 entering passive mode (127,0,0,1,{high},{low})")
            elif word == "RETR":
                self.say(control, "150 here it comes")
                self.send_plan(passive, plan(rest))
                self.say(control, "226 transfer complete")
            elif word == "QUIT":
                self.say(control, "221 goodbye")
                return
            else:
                self.say(control, "502 not here")

    def say(self, control, text):
        control.sendall(text.encode() + b"\r\n")

    def send_plan(self, passive, data):
        connection, _ = passive.accept()
        with passive, connection:
            connection.sendall(data)
