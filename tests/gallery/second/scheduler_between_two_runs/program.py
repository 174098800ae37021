# SPDX-License-Identifier: Apache-2.0
"""A scheduler sleeps until its next job."""

import os
import sched
import time


def backup():
    return 1


def main():
    agenda = sched.scheduler(time.time, time.sleep)
    agenda.enter(3600, 1, backup)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    agenda.run()


main()
