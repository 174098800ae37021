"""Lock files of the depot's jobs, as the cron jobs use them."""

import contextlib
import fcntl
import os

FOLDER = "locks"


@contextlib.contextmanager
def locked(name):
    os.makedirs(FOLDER, exist_ok=True)
    descriptor = os.open(os.path.join(FOLDER, name + ".lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
