# SPDX-License-Identifier: Apache-2.0
"""The versions that every bug report needs."""

from __future__ import annotations

import platform

import gdb

from gdb_epi import __version__


def about_lines() -> list[str]:
    """Return the versions of gdb-epi, GDB and Python, and what is loaded."""
    inferior = gdb.selected_inferior()
    kind = inferior.connection.type if inferior.connection else "nothing"
    return [
        f"gdb-epi {__version__}, GDB {gdb.VERSION}, Python {platform.python_version()}",
        f"loaded: {kind}, executable {gdb.current_progspace().filename}",
    ]
