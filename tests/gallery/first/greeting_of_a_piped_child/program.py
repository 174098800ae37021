# SPDX-License-Identifier: Apache-2.0
"""A parent waits for what its child sends through a Pipe."""

import multiprocessing as mp
import os
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def greet(connection):
    time.sleep(3600)
    connection.send("hello")


if __name__ == "__main__":
    mp.set_start_method("fork")
    mine, other = mp.Pipe()
    mp.Process(target=greet, args=(other,), daemon=True).start()
    ready()
    print(mine.recv())
