# SPDX-License-Identifier: Apache-2.0
"""A build driver waits for a compiler process that computes and will end; somebody sent SIGABRT
to the driver.
"""

import os
import subprocess
import sys


def compile_all():
    child = subprocess.Popen([sys.executable, "-c", "sum(x * x for x in range(10**10))"])
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    return child.wait()


compile_all()
