# SPDX-License-Identifier: Apache-2.0
"""A program reads the numbers of signals from its wakeup socket."""

import os
import signal
import socket

mine, other = socket.socketpair()
other.setblocking(False)
signal.set_wakeup_fd(other.fileno())
signal.signal(signal.SIGUSR1, lambda number, frame: None)


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def next_signal():
    ready()
    return mine.recv(1)[0]


print(next_signal())
