# SPDX-License-Identifier: Apache-2.0
"""GdbTarget: the core that GDB has loaded.

Memory, regions, registers and provenance come from our own reading of the core file: for pages
that are not in the core GDB silently answers with the contents of files, or with zeros. GDB adds
native frames, symbols of separate debug files, and types.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import gdb

from gdb_epi.errors import Absent, SoftError
from gdb_epi.gdbhost.debug_info import symbol_address, type_layout
from gdb_epi.gdbhost.native_unwinder import Unwinder
from gdb_epi.target.api import Module, NativeFrame, StructType
from gdb_epi.target.corefile import CoreFileTarget


class GdbTarget(CoreFileTarget):
    """A core file read by us and unwound by GDB. Open it with GdbTarget.open()."""

    @cached_property
    def unwinder(self) -> Unwinder:
        """GDB's unwinder over the modules of this core."""
        return Unwinder(self, self.soft_errors, self.region_at)

    def native_frames(self, tid: int) -> Sequence[NativeFrame] | Absent:
        """Return the native stack of one LWP from GDB's unwinder, innermost first."""
        return self.unwinder.frames(tid)

    def loaded_build_id(self, module: Module) -> str | None:
        """Return the build-id of the file that GDB has loaded for an object, or None."""
        return self.unwinder.loaded_build_id_of(module, self.regions())

    def symbol(self, name: str) -> int | None:
        """Return the address of a symbol: of build-id-checked files first, then GDB's."""
        try:
            address = super().symbol(name)
        except ImportError:  # GDB's Python often lacks pyelftools
            self._without_pyelftools(f"symbol {name}")
            address = None
        if address is not None:
            return address
        address = symbol_address(name)
        module = self.unwinder.module_at(address) if address else None
        if address and module and self.unwinder.is_other_build(module, address):
            return None
        return address

    def section(self, module: Module, name: str) -> tuple[int, int] | None:
        """Return (address, size) of a section of the module's file, or None."""
        try:
            return super().section(module, name)
        except ImportError:
            self._without_pyelftools(f"section {name}")
            return None

    def _without_pyelftools(self, subject: str) -> None:
        error = SoftError("elf", subject, "pyelftools is missing in GDB's Python: not looked up")
        if error not in self.soft_errors:
            self.soft_errors.append(error)

    def debug_folders(self) -> list[str]:
        """Return where GDB looks for separate files of debug information."""
        return str(gdb.parameter("debug-file-directory") or "").split(":")

    def type_layout(self, name: str) -> StructType | None:
        """Return a C type from the debug information that GDB has, or None."""
        return type_layout(name)
