# SPDX-License-Identifier: Apache-2.0
"""Of several processes one leads; the others stand by until its lock is free."""

import contextlib
import fcntl
import logging
import os
import sys
import time

log = logging.getLogger(__name__)


class Leadership:
    def __init__(self, path):
        self.path = path

    @contextlib.contextmanager
    def awaited(self):
        """Wait until no other process leads, then lead."""
        with open(self.path, "a+") as stream:
            log.info("standing by")
            fcntl.flock(stream, fcntl.LOCK_EX)
            stream.truncate(0)
            stream.write(f"{os.getpid()}\n")
            stream.flush()
            log.info("leading")
            yield self


if __name__ == "__main__":
    with Leadership(sys.argv[1]).awaited():
        print("leading", flush=True)
        while True:
            time.sleep(5)
