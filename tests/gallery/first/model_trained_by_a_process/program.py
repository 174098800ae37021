# SPDX-License-Identifier: Apache-2.0
"""A program waits for an event that a process sets once its model is trained."""

import multiprocessing as mp
import os
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def train(trained):
    time.sleep(3600)
    trained.set()


if __name__ == "__main__":
    mp.set_start_method("fork")
    trained = mp.Event()
    mp.Process(target=train, args=(trained,), daemon=True).start()
    ready()
    trained.wait()
    print("trained")
