# SPDX-License-Identifier: Apache-2.0
# forks: {"name": "many-threads", "arguments": ["1000"], "bench": true}
"""A thousand threads vanish in a fork; one of them holds the lock that the child waits for."""

import sys
import threading

import forkbed

threading.stack_size(256 << 10)
lock = threading.Lock()


def hold():
    with lock:
        forkbed.park()


def take():
    with lock:
        pass


def main():
    count = int(sys.argv[2])
    for number in range(count - 1):
        one = threading.Thread(target=forkbed.park, name=f"idle {number}", daemon=True)
        one.start()
    forkbed.spawn(hold, "holder")
    forkbed.hang_in_child(take, hold="hold")


if __name__ == "__main__":
    main()
