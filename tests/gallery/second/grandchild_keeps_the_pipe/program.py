# SPDX-License-Identifier: Apache-2.0
"""A start script has ended, but the daemon it left behind keeps its standard output open; the
program reads that pipe to its end.
"""

import os
import subprocess
import sys

SCRIPT = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("started", flush=True)
"""


def start_service():
    script = subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE)
    if script.wait() != 0:
        raise SystemExit("the service does not start")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    return script.stdout.read()


def main():
    print(start_service())


main()
