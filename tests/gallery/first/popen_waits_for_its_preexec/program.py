# SPDX-License-Identifier: Apache-2.0
"""A runner starts jobs with a preexec_fn that writes to the log. Another thread holds the log's
lock at the moment of the fork: the child waits for it before exec, and Popen() waits for the
child."""

import logging
import os
import subprocess
import sys
import threading
import time

log = logging.getLogger("runner")


class SlowDiskHandler(logging.Handler):
    """Writes to a share that is slow today."""

    def emit(self, record):
        time.sleep(0.7 if "usage" in record.getMessage() else 0)
        sys.stderr.write(record.getMessage() + "\n")


handler_lock = threading.Lock()


def report(message):
    with handler_lock:
        log.warning(message)


def watch_usage():
    report("usage: 71 %")


def limit_and_tell():
    os.nice(1)
    report("job %d starts" % os.getpid())


def start_job(command):
    return subprocess.Popen(command, preexec_fn=limit_and_tell)


def run_jobs(commands):
    for command in commands:
        print(command, start_job(command).wait())


def tell_soon():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    log.addHandler(SlowDiskHandler())
    threading.Thread(target=watch_usage, name="usage").start()
    timer = threading.Timer(1.2, tell_soon)
    timer.start()
    time.sleep(0.2)
    run_jobs([["/bin/true"], ["/bin/true"]])


main()
