# SPDX-License-Identifier: Apache-2.0
"""The program waits in flock() for a file that another process, a child that sleeps, has locked."""

import fcntl
import os
import subprocess
import sys
import time

HOLD = """
import fcntl, time
file = open("state.lock", "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(100)
"""


def take_turn():
    with open("state.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)


def main():
    holder = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE)
    holder.stdout.readline()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    take_turn()


main()
