# SPDX-License-Identifier: Apache-2.0
"""Two processes meet at a barrier; the other one comes late."""

import multiprocessing as mp
import os
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def come_late(gate):
    time.sleep(3600)
    gate.wait()


if __name__ == "__main__":
    mp.set_start_method("fork")
    gate = mp.Barrier(2)
    mp.Process(target=come_late, args=(gate,), daemon=True).start()
    ready()
    gate.wait()
    print("together")
