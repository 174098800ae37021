# SPDX-License-Identifier: Apache-2.0
"""The process forks while another thread holds an application lock; the child wants the same
lock and its holder does not exist there.
"""

import os
import threading
import time

SINK = threading.Lock()


def flush_forever():
    while True:
        with SINK:
            time.sleep(0.3)
        time.sleep(0.001)


def log(text):
    with SINK:
        print(text)


def main():
    threading.Thread(target=flush_forever, daemon=True).start()
    time.sleep(0.1)
    pid = os.fork()
    if pid == 0:
        with open("ready.part", "w") as file:
            file.write("%d\n" % os.getpid())
        os.rename("ready.part", "ready")
        log("child")
        os._exit(0)
    os.waitpid(pid, 0)


main()
