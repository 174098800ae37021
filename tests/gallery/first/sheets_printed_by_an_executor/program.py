# SPDX-License-Identifier: Apache-2.0
"""An executor of processes prints sheets, each of which takes long."""

import concurrent.futures
import os
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def printed(number):
    time.sleep(3600)
    return number


if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        sheets = executor.map(printed, range(2))
        time.sleep(0.5)
        ready()
        print(list(sheets))
