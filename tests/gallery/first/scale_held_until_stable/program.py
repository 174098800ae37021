# SPDX-License-Identifier: Apache-2.0
"""A cheese counter weighs: a reader tells the driver when the scale has come to rest."""

import json
import os
import threading
import time

import scaledrv


class Scale:
    def __init__(self, drift):
        self.drift = drift
        self.reader = threading.Thread(target=self.read, name="scale-reader", daemon=True)

    def read(self):
        while self.drift > 1:
            time.sleep(0.05)
            self.drift //= 2
        scaledrv.report(1)

    def weigh(self):
        self.reader.start()
        grams = scaledrv.hold()
        self.reader.join()
        return grams


def main():
    scale = Scale(64)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(scale.weigh())


main()
