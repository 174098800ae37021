# SPDX-License-Identifier: Apache-2.0
"""Address cleaning: a geocoder that allows two requests at a time, and a batch per process."""

import multiprocessing
import os
import threading

QUOTA = threading.BoundedSemaphore(2)
SENT = threading.Barrier(3)
ANSWERED = threading.Event()


def geocode(street):
    with QUOTA:
        return len(street) * 0.7, len(street) * 0.3


def refresh_depot(name):
    """Look a depot up again: the service takes its time for those."""
    with QUOTA:
        SENT.wait()
        ANSWERED.wait(8)


def clean_batch(streets):
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print([geocode(street) for street in streets], flush=True)


def main():
    for depot in ("Hamburg", "Leipzig"):
        threading.Thread(target=refresh_depot, args=(depot,), daemon=True).start()
    SENT.wait()
    batch = multiprocessing.get_context("fork").Process(
        target=clean_batch, args=(["Mill Lane 4", "Harbour Road 17"],)
    )
    batch.start()
    batch.join()


main()
