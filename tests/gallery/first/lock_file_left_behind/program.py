# SPDX-License-Identifier: Apache-2.0
"""The program waits for a lock file to go away, but the process that made it is dead."""

import os
import subprocess
import sys
import time

CRASH = "import os; os.open('cache.lock', os.O_CREAT | os.O_EXCL); os._exit(1)"


def take_cache_lock(path):
    while True:
        try:
            return os.open(path, os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            time.sleep(20)


def rebuild_cache():
    lock = take_cache_lock("cache.lock")
    os.close(lock)
    os.unlink("cache.lock")


def main():
    subprocess.call([sys.executable, "-c", CRASH])
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    rebuild_cache()


main()
