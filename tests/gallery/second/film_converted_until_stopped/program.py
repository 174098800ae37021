# SPDX-License-Identifier: Apache-2.0
"""A converter runs a long job in another program; on the wish to stop it ends that program
first."""

import os
import signal
import subprocess
import sys
import threading
import time

JOBS = []


def ready():
    with open("ready.part", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.part", "ready")


def stop(number, frame):
    """Let the program finish what it began, then leave."""
    for job in JOBS:
        code = job.wait()
        print("ended with", code, flush=True)
    sys.exit(0)


def convert(film, seconds):
    program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(%d)"
    job = subprocess.Popen([sys.executable, "-c", program % seconds])
    JOBS.append(job)
    return job.wait()


def operator():
    time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(1.0)
    for job in JOBS:
        job.kill()
    time.sleep(0.5)
    ready()


def main():
    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=operator, daemon=True).start()
    print("converted", convert("harbour.mov", 600))


main()
