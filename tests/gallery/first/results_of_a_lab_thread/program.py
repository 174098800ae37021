# SPDX-License-Identifier: Apache-2.0
"""A task of trio waits for an event that a thread sets when its measurement is over."""

import os
import threading
import time

import trio


class Measurement:
    def __init__(self):
        self.done = trio.Event()
        self.token = trio.lowlevel.current_trio_token()

    def run(self):
        time.sleep(3600)
        self.token.run_sync_soon(self.done.set)


async def main():
    measurement = Measurement()
    threading.Thread(target=measurement.run, daemon=True, name="lab").start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await measurement.done.wait()


trio.run(main)
