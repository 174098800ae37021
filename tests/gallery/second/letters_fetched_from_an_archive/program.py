# SPDX-License-Identifier: Apache-2.0
"""Copy the letters of a mailbox into the archive, over IMAP."""

import imaplib
import os
import socket
import time

LETTER = b"From: registry@example.org\r\nSubject: receipt\r\n\r\n" + b"a line of text\r\n" * 40


def mail_host(listener):
    """Stand for the host's proxy, which loses the server in the middle of the second letter."""
    connection, _ = listener.accept()
    lines = connection.makefile("rb")
    connection.sendall(b"* OK IMAP4rev1 ready\r\n")
    for line in lines:
        tag, command, *rest = line.split()
        if command == b"CAPABILITY":
            connection.sendall(b"* CAPABILITY IMAP4rev1\r\n")
        elif command == b"EXAMINE":
            connection.sendall(b"* 2 EXISTS\r\n")
        elif command == b"FETCH":
            size = len(LETTER)
            sent = LETTER if rest[0] == b"1" else LETTER[:300]
            connection.sendall(b"* %s FETCH (RFC822 {%d}\r\n%s" % (rest[0], size, sent))
            if len(sent) < size:
                time.sleep(600)
            connection.sendall(b")\r\n")
        connection.sendall(tag + b" OK done\r\n")


class Archive:
    def __init__(self, port):
        self.mailbox = imaplib.IMAP4("127.0.0.1", port)
        self.letters = []

    def copy(self, user, password):
        self.mailbox.login(user, password)
        _, counts = self.mailbox.select(readonly=True)
        for number in range(1, int(counts[0]) + 1):
            _, data = self.mailbox.fetch(str(number), "(RFC822)")
            self.letters.append(data[0][1])


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        mail_host(listener)
        os._exit(0)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    archive = Archive(listener.getsockname()[1])
    archive.copy("archive", "secret")
    print(len(archive.letters))


main()
