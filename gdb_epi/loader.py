# SPDX-License-Identifier: Apache-2.0
"""Find and import plugin modules: commands, detectors, lock families, CLI verbs.

`commands/` is installed as gdb_epi.commands (setup.py: package_dir). In a bare checkout it lies
beside the package, so the loader falls back to that folder by file location.
"""

from __future__ import annotations

import importlib
import os
import sys

from gdb_epi.errors import SoftError
from gdb_epi.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


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
    for module in module_names(package):
        name = f"{package.__name__}.{module}"
        try:
            importlib.import_module(name)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - boundary: loading a plugin
            errors.append(SoftError("load", name, f"{type(error).__name__}: {error}"))
    return errors


def module_names(package: ModuleType) -> list[str]:
    """Return the names of a package's modules, sorted.

    Listing the folder takes 0.1 ms; pkgutil would import inspect and ast for it (15 ms). Inside a
    zip archive there is no folder, and pkgutil is asked.
    """
    found: set[str] = set()
    for folder in package.__path__:
        try:
            files = os.listdir(folder)
        except OSError:
            import pkgutil

            return sorted(info.name for info in pkgutil.iter_modules(package.__path__))
        found |= {name[:-3] for name in files if name.endswith(".py")}
    return sorted(found - {"__init__"})


def _commands_from_checkout() -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    parent = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = os.path.join(parent, "commands")
    spec = spec_from_file_location(
        "gdb_epi.commands",
        os.path.join(folder, "__init__.py"),
        submodule_search_locations=[folder],
    )
    if spec is None or spec.loader is None or not os.path.isdir(folder):
        raise ModuleNotFoundError("no commands folder beside gdb_epi", name="gdb_epi.commands")
    module = module_from_spec(spec)
    sys.modules["gdb_epi.commands"] = module
    spec.loader.exec_module(module)
    return module
