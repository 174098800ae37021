# SPDX-License-Identifier: Apache-2.0
"""Runs text through a command, as a stage of a pipeline."""

import os
import subprocess


class Filter:
    """A command that reads until the end of its input and then answers."""

    def __init__(self, *command):
        source, self._sink = os.pipe()
        os.set_inheritable(self._sink, True)
        self.process = subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE)
        os.close(source)
        self._out = os.fdopen(self._sink, "w")

    def write(self, line):
        self._out.write(line + "\n")

    def finish(self):
        self._out.close()
        lines = self.process.stdout.read().decode().splitlines()
        self.process.wait()
        return lines
