# SPDX-License-Identifier: Apache-2.0
"""Packs the snapshots of the night with a helper, which may take an hour for each."""

import logging
import os
import subprocess
import sys
from pathlib import Path

log = logging.getLogger("snapshots")


def pack_snapshot(volume: str, limit: float = 3600.0) -> int:
    command = [sys.executable, "packer.py", volume, f"{volume}.xz"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=limit, check=True)
    return done.returncode


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    volumes = ["home", "mail", "wiki"]
    for volume in volumes:
        log.info("packing %s", volume)
        Path("ready").write_text(f"{os.getpid()}\n")
        pack_snapshot(volume)
    log.info("%d volumes are packed", len(volumes))


if __name__ == "__main__":
    main()
