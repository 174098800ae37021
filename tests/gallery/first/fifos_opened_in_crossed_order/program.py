# SPDX-License-Identifier: Apache-2.0
"""Two parties talk over two named pipes."""

import os
import threading


def clerk():
    with open("requests.fifo") as requests, open("replies.fifo", "w") as replies:
        for line in requests:
            replies.write("done: " + line)


def ask(question):
    with open("replies.fifo") as replies, open("requests.fifo", "w") as requests:
        requests.write(question)
        return replies.read()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    os.mkfifo("requests.fifo")
    os.mkfifo("replies.fifo")
    threading.Thread(target=clerk, name="clerk").start()
    tell()
    print(ask("two stamps\n"))


main()
