# SPDX-License-Identifier: Apache-2.0
"""Reads the forms that the land office scanned in the night."""

import os
import queue
import threading

from forms import read_form

PAGES = [
    b"% form 1\nBT 72 700 Td (12/4) Tj 72 680 Td (A. Huber) Tj ET\n",
    b"% form 2\nBT 72 700 Td (12/5) Tj 72 660 Td (814 sqm) Tj ET\n",
    b"BT 72 700 Td (13/1) Tj 72 680 Td (M. Lang) Tj ET % end of form 3",
    b"% form 4\nBT 72 700 Td (14/2) Tj ET\n",
]


class Intake(threading.Thread):
    def __init__(self, pages):
        super().__init__(name="intake")
        self.pages = pages
        self.forms = queue.Queue()

    def run(self):
        for number, content in enumerate(self.pages, 1):
            self.forms.put(read_form(number, content))
        self.forms.put(None)


def main():
    intake = Intake(PAGES)
    intake.start()
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    while (form := intake.forms.get()) is not None:
        print(form.number, form.fields, flush=True)


if __name__ == "__main__":
    main()
