# SPDX-License-Identifier: Apache-2.0
"""Runs the start script of a service and reads what it says."""

import os
import subprocess
import threading


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def start_service():
    return subprocess.run("sleep 600 & echo started", shell=True, capture_output=True).stdout


def main():
    threading.Timer(0.8, tell).start()
    print(start_service())


main()
