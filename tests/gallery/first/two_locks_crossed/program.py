# SPDX-License-Identifier: Apache-2.0
"""Two threads take two locks in opposite order; each holds one and waits for the other's."""

import os
import threading
import time

ACCOUNTS = threading.Lock()
JOURNAL = threading.Lock()


def transfer():
    with ACCOUNTS:
        time.sleep(0.2)
        with JOURNAL:
            pass


def audit():
    with JOURNAL:
        time.sleep(0.2)
        with ACCOUNTS:
            pass


def main():
    threads = [threading.Thread(target=transfer), threading.Thread(target=audit)]
    for thread in threads:
        thread.start()
    time.sleep(0.4)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
