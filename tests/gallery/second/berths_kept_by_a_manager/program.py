# SPDX-License-Identifier: Apache-2.0
"""Clerks of a marina give out berths; the register and its lock live in a manager process."""

import multiprocessing
import os
import signal
from pathlib import Path

context = multiprocessing.get_context("fork")


def give_berths(register, guard, yachts):
    guard.acquire()
    for yacht in yachts:
        if yacht == "Sirocco":
            os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does when memory is short
        register[yacht] = len(register) + 1
    guard.release()


def main():
    with context.Manager() as manager:
        register = manager.dict()
        guard = manager.Lock()
        clerk = context.Process(
            target=give_berths, args=(register, guard, ["Ondine", "Sirocco"]), name="morning-clerk"
        )
        clerk.start()
        clerk.join()
        Path("ready").write_text(f"{os.getpid()}\n")
        give_berths(register, guard, ["Halcyon"])
        print(dict(register))


if __name__ == "__main__":
    main()
