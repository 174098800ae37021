# SPDX-License-Identifier: Apache-2.0
"""Turns a program into a daemon: what it opened before is closed, its output goes to a file."""

import os
import sys


class DaemonContext:
    def __init__(self, log_path, highest=64):
        self.log_path = log_path
        self.highest = highest

    def __enter__(self):
        sys.stdout.flush()
        os.umask(0o022)
        self.close_inherited()
        self.redirect()
        return self

    def __exit__(self, *exc):
        sys.stdout.flush()

    def close_inherited(self):
        os.closerange(3, self.highest)

    def redirect(self):
        log = os.open(self.log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(log, 1)
        os.close(log)
