# SPDX-License-Identifier: Apache-2.0
"""The program started `sort` with a pipe as its input and waits for its end, but never closed
the pipe: the child waits for more input.
"""

import os
import subprocess
import threading
import time


def sort_lines(lines):
    child = subprocess.Popen(["sort"], stdin=subprocess.PIPE)
    child.stdin.write(b"".join(lines))
    child.stdin.flush()
    return child.wait()


def tell():
    time.sleep(0.4)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threading.Thread(target=tell).start()
    sort_lines([b"b\n", b"a\n"])


main()
