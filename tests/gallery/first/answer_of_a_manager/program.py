# SPDX-License-Identifier: Apache-2.0
"""A program asks a manager process for a value, which it computes slowly."""

import multiprocessing as mp
import os
import time
from multiprocessing.managers import BaseManager


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Oracle:
    def answer(self):
        time.sleep(3600)
        return 42


class Manager(BaseManager):
    pass


Manager.register("Oracle", Oracle)

if __name__ == "__main__":
    mp.set_start_method("fork")
    manager = Manager()
    manager.start()
    oracle = manager.Oracle()
    ready()
    print(oracle.answer())
