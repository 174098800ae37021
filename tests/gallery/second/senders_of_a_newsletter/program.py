# SPDX-License-Identifier: Apache-2.0
"""Checks the addresses of a newsletter's readers before it is sent."""

import os
import re
import threading
from pathlib import Path

MAILBOX = re.compile(r"^([a-zA-Z0-9]+[._-]?)+@([a-z0-9]+\.)+[a-z]{2,}$")


def readers():
    for number in range(2000):
        yield f"reader.{number}@mail.example.org"
    yield "maximiliane.obermeier.kindertagesstaette.sonnenschein.de"
    yield "last@mail.example.org"


class Check:
    def __init__(self):
        self.good = 0
        self.bad = []

    def check_address(self, address):
        if MAILBOX.match(address):
            self.good += 1
        else:
            self.bad.append(address)

    def run(self):
        for address in readers():
            self.check_address(address)


if __name__ == "__main__":
    check = Check()
    Path("ready").write_text(f"{os.getpid()}\n")
    worker = threading.Thread(target=check.run, name="checker")
    worker.start()
    worker.join()
    print(check.good, check.bad)
