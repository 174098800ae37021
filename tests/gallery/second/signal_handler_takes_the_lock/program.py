# SPDX-License-Identifier: Apache-2.0
"""A signal handler logs under the lock that the interrupted code holds: the main thread waits
for itself.
"""

import os
import signal
import threading
import time

LOG_LOCK = threading.Lock()


def write_log(text):
    with LOG_LOCK:
        time.sleep(0.2)
        return text


def on_usr1(number, frame):
    write_log("rotated")


def main():
    signal.signal(signal.SIGUSR1, on_usr1)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    write_log("started")


main()
