# SPDX-License-Identifier: Apache-2.0
"""One migration at a time."""

import contextlib
import fcntl


@contextlib.contextmanager
def exclusive(path):
    with open(path, "a") as stream:
        fcntl.lockf(stream, fcntl.LOCK_EX)
        try:
            yield stream
        finally:
            fcntl.lockf(stream, fcntl.LOCK_UN)
