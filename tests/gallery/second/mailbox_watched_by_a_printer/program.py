# SPDX-License-Identifier: Apache-2.0
"""Prints what arrives in a mailbox: an IMAP client that idles (RFC 2177)."""

import os
import socket
import subprocess
import sys
from pathlib import Path


class ImapError(Exception):
    """The server said NO or BAD."""


class ImapClient:
    IDLE_SECONDS = 29 * 60

    def __init__(self, host, port):
        self._socket = socket.create_connection((host, port), timeout=30)
        self._file = self._socket.makefile("rb")
        self._number = 0
        self._line()  # greeting

    def _line(self):
        line = self._file.readline()
        if not line:
            raise ImapError("closed by the server")
        return line.decode().rstrip("\r\n")

    def command(self, text):
        self._number += 1
        tag = f"A{self._number:03}"
        self._socket.sendall(f"{tag} {text}\r\n".encode())
        untagged = []
        while not (line := self._line()).startswith(tag):
            untagged.append(line)
        if not line.startswith(f"{tag} OK"):
            raise ImapError(line)
        return untagged

    def wait_for_mail(self):
        """Idles until the server tells of a new message; None when it is time to renew."""
        self._number += 1
        self._socket.sendall(f"A{self._number:03} IDLE\r\n".encode())
        self._socket.settimeout(self.IDLE_SECONDS)
        try:
            while not (line := self._line()).endswith("EXISTS"):
                pass
            number = int(line.split()[1])
        except socket.timeout:
            number = None
        self._socket.settimeout(30)
        self._socket.sendall(b"DONE\r\n")
        while not self._line().startswith(f"A{self._number:03}"):
            pass
        return number


def main():
    server = subprocess.Popen([sys.executable, "mailserver.py"], stdout=subprocess.PIPE, text=True)
    client = ImapClient("127.0.0.1", int(server.stdout.readline()))
    client.command("LOGIN printer secret")
    client.command("SELECT INBOX")
    printed = 0
    while True:
        number = client.wait_for_mail()
        if number is not None:
            print("printing", client.command(f"FETCH {number} BODY[TEXT]"), flush=True)
            printed += 1
            if printed == 2:
                Path("ready").write_text(f"{os.getpid()}\n")


if __name__ == "__main__":
    main()
