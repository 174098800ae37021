# SPDX-License-Identifier: Apache-2.0
"""Installer of a small appliance: runs a step on a terminal and keeps what it says."""

import os
import pty
import subprocess

STEP = "echo Unpacking drivers; echo Setting up network; echo Done"


def read_transcript(terminal):
    pieces = []
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces).decode()


def run_step(command):
    terminal, line = pty.openpty()
    step = subprocess.Popen(["/bin/sh", "-c", command], stdout=line, stderr=line)
    transcript = read_transcript(terminal)
    os.close(line)
    os.close(terminal)
    return step.wait(), transcript


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    status, transcript = run_step(STEP)
    print(status, transcript.splitlines())


main()
