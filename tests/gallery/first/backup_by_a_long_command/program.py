# SPDX-License-Identifier: Apache-2.0
"""A backup runs a command that takes long."""

import os
import subprocess
import threading


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def backup():
    subprocess.run(["sleep", "3600"], check=True)


threading.Timer(0.3, ready).start()
backup()
