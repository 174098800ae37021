# SPDX-License-Identifier: Apache-2.0
"""Four threads compute and take the GIL in turn; nothing is stuck."""

import os
import threading


def work():
    total = 0
    while True:
        total += sum(range(1000))


def main():
    threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
