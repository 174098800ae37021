# SPDX-License-Identifier: Apache-2.0
"""Downloads keep to a rate: each sleeps between two parts."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor


def download(name):
    for part in range(100):
        time.sleep(120)
    return name


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(download, name) for name in ("a", "b", "c")]
        threading.Timer(0.5, tell).start()
        print([job.result() for job in jobs])


main()
