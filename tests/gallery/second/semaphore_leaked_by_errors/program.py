# SPDX-License-Identifier: Apache-2.0
"""A semaphore of three was taken by three downloads that failed and did not give it back; the
fourth waits for ever.
"""

import os
import threading

slots = threading.BoundedSemaphore(3)


def open_address(address):
    raise OSError(f"no route to {address}")


def download(address):
    slots.acquire()
    body = open_address(address)
    slots.release()
    return body


def download_all():
    for number in range(10):
        if number == 3:
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())
        try:
            download(f"10.0.0.{number}")
        except OSError as error:
            print(error)


download_all()
