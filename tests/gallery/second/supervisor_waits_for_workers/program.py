# SPDX-License-Identifier: Apache-2.0
"""A healthy supervisor: its three workers run, and it waits for the first of them that ends."""

import os
import subprocess
import sys

WORKER = "import time\nprint('up', flush=True)\nwhile True: time.sleep(5)"


def start_worker():
    worker = subprocess.Popen([sys.executable, "-c", WORKER], stdout=subprocess.PIPE)
    worker.stdout.readline()
    return worker


def supervise(workers):
    while True:
        pid, status = os.wait()
        print("restarting", pid, status)
        workers.pop(pid)
        fresh = start_worker()
        workers[fresh.pid] = fresh


def main():
    workers = {worker.pid: worker for worker in (start_worker() for _ in range(3))}
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    supervise(workers)


main()
