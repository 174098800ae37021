# SPDX-License-Identifier: Apache-2.0
"""An author and an editor of a newspaper exchange drafts and remarks through two small trays."""

import os
import queue
import threading
import time


class Desk(threading.Thread):
    """Take from one tray, put what arises from it into the other."""

    def __init__(self, name, taken_from, put_into, share):
        super().__init__(name=name, daemon=True)
        self.taken_from, self.put_into, self.share = taken_from, put_into, share

    def pass_on(self, paper):
        for part in range(self.share):
            self.put_into.put(f"{paper}.{part}")

    def run(self):
        while True:
            self.pass_on(self.taken_from.get())


def main():
    drafts, remarks = queue.Queue(maxsize=3), queue.Queue(maxsize=3)
    desks = [Desk("author", remarks, drafts, 2), Desk("editor", drafts, remarks, 2)]
    drafts.put("front page")
    for desk in desks:
        desk.start()
    while not (drafts.full() and remarks.full()):
        time.sleep(0.05)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for desk in desks:
        desk.join()


main()
