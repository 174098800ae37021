# SPDX-License-Identifier: Apache-2.0
"""A reader waits for the end of a pipe of which it holds the only writing end itself; the child
that wrote has ended.
"""

import os
import subprocess
import sys


def collect_lines(number):
    lines = []
    with os.fdopen(number) as pipe:
        for line in pipe:
            lines.append(line)
    return lines


def main():
    reading, writing = os.pipe()
    subprocess.run([sys.executable, "-c", "print('one'); print('two')"], stdout=writing)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(collect_lines(reading))


main()
