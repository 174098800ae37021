# SPDX-License-Identifier: Apache-2.0
"""Watches a service: if its heartbeat is older than allowed, it is aborted for a post-mortem."""

import os
import signal
import sys
import time


def main(pid, path, allowed):
    while True:
        time.sleep(0.1)
        try:
            age = time.time() - os.stat(path).st_mtime
        except FileNotFoundError:
            continue
        if age > allowed:
            print(f"watchdog: no heartbeat of {pid} for {age:.1f} s", flush=True)
            os.kill(pid, signal.SIGABRT)
            return


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
