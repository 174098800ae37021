# SPDX-License-Identifier: Apache-2.0
# forks: {"name": "deep-inherited", "arguments": ["3", "threads"]}
# forks: {"name": "deep-daemon", "arguments": ["2", "alone"]}
"""A grandchild: the threads vanished at the first fork, or there never were any (a daemon)."""

import os
import sys
import threading

import forkbed

lock = threading.Lock()


def hold():
    with lock:
        forkbed.park()


def descend(depth, handle):
    """Fork `depth` - 1 times more; the last child tells its number and waits."""
    if depth > 1:
        pid = os.fork()
        if pid:
            os.waitpid(pid, 0)
            os._exit(0)
        descend(depth - 1, handle)
    os.setsid() if sys.argv[3] == "alone" else None
    os.write(handle, str(os.getpid()).encode())
    os.close(handle)
    if sys.argv[3] == "alone":
        forkbed.sleep_for_good()
    with lock:
        pass


def main():
    depth, threads = int(sys.argv[2]), sys.argv[3] == "threads"
    if threads:
        forkbed.spawn(hold, "holder")
    vanished = forkbed.others()
    ours, theirs = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(ours)
        descend(depth, theirs)
    os.close(theirs)
    pid = int(os.read(ours, 64))
    forkbed.await_rest(pid)
    forkbed.testify(pid, vanished, depth=depth, hold="hold" if threads else None)
    forkbed.abort(pid)
    forkbed.reap(first)


if __name__ == "__main__":
    main()
