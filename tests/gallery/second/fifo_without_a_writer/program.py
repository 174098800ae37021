# SPDX-License-Identifier: Apache-2.0
"""The program opens a named pipe for reading; no writer comes, and open() never returns."""

import os


def read_commands():
    with open("commands.fifo") as file:
        return file.read()


os.mkfifo("commands.fifo")
with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())
read_commands()
