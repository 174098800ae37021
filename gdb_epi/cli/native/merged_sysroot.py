# SPDX-License-Identifier: Apache-2.0
"""One sysroot out of several: a folder of links to the files that have the core's build-ids.

GDB takes a single sysroot, and reads the mapped files of a core below that alone
(`solib-search-path` is not asked for them).
"""

from __future__ import annotations

import os
from contextlib import suppress

from gdb_epi.target.corefile import CoreFileTarget
from gdb_epi.target.unsafe_file_names import read_link_map


def fill_merged_sysroot(target: CoreFileTarget, folder: str) -> str:
    """Fill an empty folder with links at the paths that the process knew its files by."""
    modules = {module.base: module for module in target.modules()}
    named = [(module.path, module) for module in modules.values()]
    named += [(name, modules[base]) for base, name, _ in read_link_map(target) if base in modules]
    for name, module in named:
        parts = [part for part in name.split("/") if part]
        if not isinstance(module.file, str) or not name.startswith("/") or ".." in parts:
            continue
        place = os.path.join(folder, *parts)
        with suppress(OSError, ValueError):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            os.symlink(os.path.abspath(module.file), place)
    return folder
