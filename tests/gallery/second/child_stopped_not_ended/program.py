# SPDX-License-Identifier: Apache-2.0
"""The program waits for a child's end, which has been stopped by a signal and will not end."""

import os
import subprocess
import sys

CHILD = "import os, signal; print('dumping', flush=True); os.kill(os.getpid(), signal.SIGSTOP)"


def run_dump():
    child = subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE)
    child.stdout.readline()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    return child.wait()


print(run_dump())
