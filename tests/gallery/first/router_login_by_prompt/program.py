# SPDX-License-Identifier: Apache-2.0
"""The nightly configuration backup logs in to a router's console as a user would."""

import os
import pty
import subprocess
import sys

CONSOLE = """
user = input("Username: ")
word = input("Password: ")
print("router>")
input()
"""


class Session:
    def __init__(self, command):
        self.terminal, theirs = pty.openpty()
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        self.heard = b""

    def expect(self, words):
        while words not in self.heard:
            self.heard += os.read(self.terminal, 1024)
        self.heard = self.heard.split(words, 1)[1]

    def send(self, line):
        os.write(self.terminal, line.encode() + b"\n")

    def log_in(self, user, word):
        self.expect(b"login:")
        self.send(user)
        self.expect(b"Password:")
        self.send(word)
        self.expect(b"router>")


def main():
    session = Session([sys.executable, "-c", CONSOLE])
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    session.log_in("backup", "secret")


main()
