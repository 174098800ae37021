# SPDX-License-Identifier: Apache-2.0
"""Find and import plugin modules: commands, detectors, lock families, CLI verbs.

`commands/` is installed as gdb_epi.commands (setup.py: package_dir). In a bare checkout it lies
beside the package, so the loader falls back to that folder by file location.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from pathlib import Path
from types import ModuleType

from gdb_epi.errors import SoftError


def load_commands() -> list[SoftError]:
    """Import every module under commands/; a broken one becomes a SoftError."""
    try:
        package = importlib.import_module("gdb_epi.commands")
    except ModuleNotFoundError as error:
        if error.name != "gdb_epi.commands":
            raise
        package = _commands_from_checkout()
    return load_all(package)


def load_all(package: ModuleType) -> list[SoftError]:
    """Import every module of a package; return what could not be imported."""
    errors = []
    for info in pkgutil.iter_modules(package.__path__):
        name = f"{package.__name__}.{info.name}"
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - boundary: loading a plugin
            errors.append(SoftError("load", name, f"{type(error).__name__}: {error}"))
    return errors


def _commands_from_checkout() -> ModuleType:
    folder = Path(__file__).resolve().parent.parent / "commands"
    spec = importlib.util.spec_from_file_location(
        "gdb_epi.commands", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None or not folder.is_dir():
        raise ModuleNotFoundError("no commands folder beside gdb_epi", name="gdb_epi.commands")
    module = importlib.util.module_from_spec(spec)
    sys.modules["gdb_epi.commands"] = module
    spec.loader.exec_module(module)
    return module
