# SPDX-License-Identifier: Apache-2.0
"""Turns each page into two lines of its print file."""

import sys

for line in sys.stdin.buffer:
    sys.stdout.buffer.write(b"BT " + line.rstrip() + b" ET\n")
    sys.stdout.buffer.flush()
