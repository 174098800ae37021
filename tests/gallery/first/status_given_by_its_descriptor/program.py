# SPDX-License-Identifier: Apache-2.0
"""A program gives a command the writing end of a pipe, and waits for its status."""

import os
import subprocess


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def status():
    reading, writing = os.pipe()
    child = subprocess.Popen(
        ["sh", "-c", "sleep 3600; echo done >&%d" % writing], pass_fds=(writing,)
    )
    ready()
    return os.read(reading, 100), child


print(status())
