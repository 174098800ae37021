# SPDX-License-Identifier: Apache-2.0
"""The loaded debug information as a source of layout tables (`epi layout --emit`)."""

from __future__ import annotations

import os
import re
from typing import Any

import gdb

from gdb_epi.errors import InputError
from gdb_epi.gdbhost import dwarf
from gdb_epi.target.api import StructType

# libpython3.13.so.1.0, python3.14t, libpython3.12d.so: version and ABI flags.
_PYTHON_FILE = re.compile(r"(?:lib)?python3\.(\d{1,3})([a-z]*)(?:\.so.*|\.debug)?\Z")


class DebugTypes:
    """C types and constants from the debug information that GDB has loaded."""

    def type_layout(self, name: str) -> StructType | None:
        """Return a C type, or None."""
        return dwarf.type_layout(name)

    def constant(self, name: str) -> int | None:
        """Return the value of an enumerator, or None."""
        return dwarf.constant(name)

    def header(self) -> dict[str, Any]:
        """Return what a layout table says about its origin.

        Raises InputError when no file of a CPython is loaded.
        """
        # The program python3.X has no types of its own when there is a libpython.
        for objfile in sorted(gdb.objfiles(), key=lambda o: "libpython" not in (o.filename or "")):
            found = _PYTHON_FILE.match(os.path.basename(objfile.filename or ""))
            if found:
                return self._header(objfile, int(found.group(1)), found.group(2))
        raise InputError("no libpython3.X or python3.X is loaded", hint="file PYTHON, then repeat")

    def _header(self, objfile: gdb.Objfile, minor: int, flags: str) -> dict[str, Any]:
        flavour = flags + ("t" if self._is_free_threaded() and "t" not in flags else "")
        return {
            "source": f"table cp3{minor}{flavour} (DWARF of {os.path.basename(objfile.filename)})",
            "version": [3, minor],
            "free_threaded": "t" in flavour,
            "debug": "d" in flavour,
            "arch": "x86_64",
            "how": "dwarf",
            "build_id": objfile.build_id,
            "gdb": gdb.VERSION,
        }

    def _is_free_threaded(self) -> bool:
        """3.13 (gh-108219): PyObject has ob_tid in free-threaded builds only."""
        found = dwarf.type_layout("PyObject")
        return found is not None and "ob_tid" in found.fields
