# SPDX-License-Identifier: Apache-2.0
"""The program waits for a child that waits itself: the child's output fills the pipe, and the
parent reads it only after wait().
"""

import os
import subprocess
import sys
import threading


def convert():
    child = subprocess.Popen([sys.executable, "-c", "print('x' * 1000000)"], stdout=subprocess.PIPE)
    child.wait()
    return child.stdout.read()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    timer = threading.Timer(0.5, tell)
    timer.start()
    timer.join()
    print(len(convert()))


main()
