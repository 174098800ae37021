# SPDX-License-Identifier: Apache-2.0
"""The agent of a backup vault. It listens on a Unix socket for small requests, one at a time, and
runs a helper for what takes longer."""

import contextlib
import logging
import os
import socket
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = {"2019.tar": "correct horse", "2020.tar": "battery staple"}
log = logging.getLogger("vault-agent")


class Agent:
    """Serves one request after another: KEY archive, OPEN archive, QUIT."""

    def __init__(self, path):
        self.path = path
        self.listener = socket.socket(socket.AF_UNIX)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        self.listener.bind(path)
        self.listener.listen(8)

    def serve(self):
        while True:
            line, _ = self.listener.accept()
            with line, line.makefile("rw") as stream:
                word, _, rest = stream.readline().strip().partition(" ")
                answer = self.handle(word, rest)
                stream.write(f"{answer}\n")
                stream.flush()
                if word == "QUIT":
                    return

    def handle(self, word, rest):
        log.info("%s %s", word, rest)
        if word == "KEY":
            return KEYS.get(rest, "")
        if word == "OPEN":
            return self.open_archive(rest)
        return "BYE" if word == "QUIT" else "WHAT"

    def open_archive(self, name):
        """Have the helper open an archive; return what it says."""
        command = [sys.executable, os.path.join(HERE, "unlock.py"), self.path, name]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            log.warning("helper failed: %s", done.stderr)
        return done.stdout.strip()


def request(path, text):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        line.sendall(text.encode() + b"\n")
        return line.makefile().readline().strip()


def nightly(path):
    """What the night does: one key is looked at, one archive is opened."""
    log.info("key has %d characters", len(request(path, "KEY 2019.tar")))
    log.info("archive: %s", request(path, "OPEN 2020.tar"))
    request(path, "QUIT")


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s %(message)s")
    agent = Agent("agent.sock")
    night = threading.Thread(target=nightly, args=(agent.path,), name="night", daemon=True)
    night.start()
    agent.serve()


main()
