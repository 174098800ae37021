# SPDX-License-Identifier: Apache-2.0
"""A newsletter goes out once a week; a scheduler waits for the day."""

import os
import sched
import time

WEEK = 7 * 24 * 3600


class Newsletter:
    def __init__(self, readers):
        self.readers = readers
        self.issue = 0
        self.sent = []
        self.calendar = sched.scheduler(time.time, time.sleep)

    def send_issue(self):
        self.issue += 1
        self.sent += ["%s #%d" % (reader, self.issue) for reader in self.readers]
        print("issue", self.issue, "to", len(self.readers), "readers", flush=True)
        self.calendar.enter(WEEK, 1, self.send_issue)

    def remind_editor(self):
        print("three days left for the next issue", flush=True)
        self.calendar.enter(WEEK, 2, self.remind_editor)

    def run(self):
        self.calendar.enter(0.2, 1, self.send_issue)
        self.calendar.enter(4 * 24 * 3600, 2, self.remind_editor)
        self.calendar.enter(0.4, 3, tell)
        self.calendar.run()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


Newsletter(["ines", "yusuf", "margot"]).run()
