# SPDX-License-Identifier: Apache-2.0
"""Messages to the user beside an answer."""

from __future__ import annotations

import sys


def say(line: str) -> None:
    """Write one line to standard error, with nothing in it that steers a terminal."""
    from gdb_epi.render.escape import escape

    print(f"gdb-epi: {escape(line)}", file=sys.stderr)
