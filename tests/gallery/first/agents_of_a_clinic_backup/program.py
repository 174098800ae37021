# SPDX-License-Identifier: Apache-2.0
"""Before a backup of a clinic its agents are started by a script."""

import os
import subprocess
from pathlib import Path

SCRIPT = """#!/bin/sh
echo "agent $1 starts"
sleep 900 &
echo "agent $1 is up"
"""


def start_agent(script, name):
    done = subprocess.run(["/bin/sh", str(script), name], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.splitlines()[-1]


def main():
    script = Path("start_agent.sh")
    script.write_text(SCRIPT)
    Path("ready").write_text(f"{os.getpid()}\n")
    for name in ("images", "records", "laboratory"):
        print(start_agent(script, name))


if __name__ == "__main__":
    main()
