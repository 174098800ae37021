# SPDX-License-Identifier: Apache-2.0
"""A parent waits until its child's folder in /proc has gone, and never calls wait()."""

import os
import subprocess
import time


def main():
    child = subprocess.Popen(["true"])
    time.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    while os.path.exists("/proc/%d" % child.pid):
        time.sleep(0.2)


main()
