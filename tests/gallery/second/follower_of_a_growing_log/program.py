# SPDX-License-Identifier: Apache-2.0
"""A healthy counter of failed log-ins that follows a log through `tail -F`, at rest."""

import collections
import os
import re
import subprocess

FAILED = re.compile(r"failed log-in of (\w+)")


class Follower:
    def __init__(self, path):
        command = ["tail", "-n", "+1", "-F", path]
        self.tail = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.failures = collections.Counter()

    def count_failures(self):
        for line in self.tail.stdout:
            found = FAILED.search(line)
            if found:
                self.failures[found[1]] += 1
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())


def main():
    with open("auth.log", "w") as log:
        log.write("09:12 failed log-in of anna\n")
    Follower("auth.log").count_failures()


main()
