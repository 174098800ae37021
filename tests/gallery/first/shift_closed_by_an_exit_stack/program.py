# SPDX-License-Identifier: Apache-2.0
"""An own manager class in an ExitStack."""

import contextlib
import os
import threading
import time


def tell_ready():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


class Shift:
    def __init__(self, over):
        self.over = over

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.over.set()


def work(over):
    with contextlib.ExitStack() as stack:
        stack.enter_context(Shift(over))
        time.sleep(50)


def main():
    over = threading.Event()
    threading.Thread(target=work, args=(over,), daemon=True).start()
    tell_ready()
    over.wait()


if __name__ == "__main__":
    main()
