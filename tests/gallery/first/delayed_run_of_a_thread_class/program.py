# SPDX-License-Identifier: Apache-2.0
"""super().run() of a Thread."""

import os
import threading
import time


def tell_ready():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


class Delayed(threading.Thread):
    def run(self):
        time.sleep(50)
        super().run()


def main():
    event = threading.Event()
    Delayed(target=event.set, daemon=True).start()
    tell_ready()
    event.wait()


if __name__ == "__main__":
    main()
