# SPDX-License-Identifier: Apache-2.0
"""Which frames are of installed packages, wherever they were installed.

Beside the usual folders (`library_calls.of_a_library`) packages lie in those that `pip --target`
fills, on PYTHONPATH. The import system keeps a listing of each folder that it looked into
(`FileFinder._path_cache`, Lib/importlib/_bootstrap_external.py): where it contains
NAME-VERSION.dist-info, NAME was installed there. No file of this machine is asked.
"""

from __future__ import annotations

from functools import cached_property

from gdb_epi.cpython.runtime.modules import normalized_name, parse_metadata_folder_name
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.library_calls import is_library_code
from gdb_epi.target.api import Target
from gdb_epi.util import default_when_unreadable, memoized

MAX_FOLDERS = 1_000
MAX_ENTRIES = 20_000  # names in one folder's listing
MAX_PATH = 4096


class InstalledPackages:
    """The packages that one process has imported from, beside the usual folders."""

    def __init__(self, target: Target, python: PythonState) -> None:
        self._target, self._python = target, python

    def contains_frame(self, frame: PyFrame) -> bool:
        """Tell whether a frame's code is the standard library's or of an installed package."""
        file = frame.filename
        if file.startswith("<") and "generated" in file:  # by SQLAlchemy, attrs and others
            file = self._file_of_module(frame.module or "") or file
        return is_library_code(frame._replace(filename=file)) or self.contains_file(file)

    @default_when_unreadable("")
    def _file_of_module(self, module: str) -> str:
        """Return the file of a module: whose code it is that a library made as it ran."""
        values = self._values
        contents = values.module_dict(self._python.interpreters[0].address, module)
        file = values.dict_value(contents, "__file__") if contents else None
        return (values.text(file, MAX_PATH) or "") if file else ""

    @memoized
    def contains_file(self, file: str) -> bool:
        """Tell whether a file is of a package that was installed beside the usual folders.

        A folder into which packages were installed holds nothing else, but for that of the program:
        there its own files lie beside them, and the name of the package decides.
        """
        for folder, finder in self._finders.items():
            if not file.startswith(folder + "/"):
                continue
            names = self._packages_installed_in(finder)
            top = file[len(folder) + 1 :].partition("/")[0].removesuffix(".py")
            if names and (folder != self._folder_of_program or normalized_name(top) in names):
                return True
        return False

    @memoized
    def _packages_installed_in(self, finder: int) -> frozenset[str]:
        try:
            listing = self._values.attribute(finder, "_path_cache")
            entries = self._values.set_members(listing)[:MAX_ENTRIES] if listing else []
            texts = [self._values.text(entry, MAX_PATH) for entry in entries]
        except (UnreadableMemory, LayoutError):
            return frozenset()
        distributions = (
            parse_metadata_folder_name(text, "")
            for text in texts
            if text and text.endswith("-info")
        )
        return frozenset(
            normalized_name(distribution.name)
            for distribution in distributions
            if distribution is not None
        )

    @cached_property
    def _values(self) -> PlainValues:
        return PlainValues(self._target, self._python)

    @cached_property
    def _finders(self) -> dict[str, int]:
        """The folders that the import system looked into, the longest first, and their finders."""
        values, folders = self._values, {}
        try:
            contents = values.module_dict(self._python.interpreters[0].address, "sys")
            cache = values.dict_value(contents, "path_importer_cache") if contents else None
            for number, (key, finder) in enumerate(values.dict_pairs(cache) if cache else ()):
                folder = values.text(key, MAX_PATH) if number < MAX_FOLDERS else None
                if folder and folder.startswith("/"):
                    folders[folder.rstrip("/")] = finder
        except (UnreadableMemory, LayoutError, IndexError):
            return {}
        return dict(sorted(folders.items(), key=lambda pair: (-len(pair[0]), pair[0])))

    @cached_property
    def _folder_of_program(self) -> str:
        return self._file_of_module("__main__").rpartition("/")[0]
