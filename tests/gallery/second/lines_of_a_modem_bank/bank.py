# SPDX-License-Identifier: Apache-2.0
"""A bank of modem lines."""

import ctypes
import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import List

_library = ctypes.CDLL(str(Path(__file__).with_name("line.so").resolve()))


class Line:
    def __init__(self, number):
        self.number = number
        self.ours, self.theirs = socket.socketpair()

    def wait(self, milliseconds):
        return _library.line_wait(self.ours.fileno(), milliseconds) == 1

    def take(self):
        return self.ours.recv(256)


@dataclass
class Bank:
    lines: List[Line] = field(default_factory=list)

    def connect(self, caller):
        line = Line(len(self.lines) + 1)
        line.theirs.sendall(caller.encode())
        self.lines.append(line)
        return line

    def greet(self, caller):
        line = self.connect(caller)
        if line.wait(2000):
            return line.number, line.take()
        return line.number, None
