# SPDX-License-Identifier: Apache-2.0
"""Takes what a check prints, also from C code and child processes."""

import os
import sys


class OutputCapture:
    """Between start and stop, file descriptor 1 leads here."""

    def start(self):
        sys.stdout.flush()
        self._saved = os.dup(1)
        self._reader, writer = os.pipe()
        os.dup2(writer, 1)
        os.close(writer)

    def stop(self):
        sys.stdout.flush()
        os.dup2(self._saved, 1)
        os.close(self._saved)
        with open(self._reader, "rb") as stream:
            return stream.read().decode(errors="replace")

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, error, traceback):
        self.output = self.stop()
