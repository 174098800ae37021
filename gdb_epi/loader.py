# SPDX-License-Identifier: Apache-2.0
"""Find and import plugin modules: commands, detectors, lock families, CLI verbs.

`commands/` is installed as gdb_epi.commands (setup.py: package_dir). In a checkout it lies beside
the package; the loader finds either by file location.
"""

from __future__ import annotations

import importlib
import os
import sys

from gdb_epi.errors import SoftError
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

_LOADED = "_folders_when_loaded"  # of a package whose modules were all imported


def load_commands() -> list[SoftError]:
    """Import every module under commands/; a broken one becomes a SoftError."""
    return import_all_modules(_commands_package())


def command_files() -> list[str]:
    """Return the names of the `epi` commands' files, without importing one."""
    return module_names(_commands_package())


def _commands_package() -> ModuleType:
    """Return the package of the commands that belong to this copy of gdb_epi.

    By file location: an editable install maps the name gdb_epi.commands to its own checkout, which
    need not be the copy that was sourced into GDB.
    """
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in (os.path.join(here, "commands"), os.path.join(os.path.dirname(here), "commands")):
        if os.path.isfile(os.path.join(folder, "__init__.py")):
            return _import_commands_package(folder)
    return importlib.import_module("gdb_epi.commands")  # inside a zip archive


def import_all_modules(package: ModuleType) -> list[SoftError]:
    """Import every module of a package and of those in it; return what could not be imported.

    One that is whole is not looked through again until its folder changes.
    """
    stamp = _folder_mtimes(package)
    if stamp is not None and vars(package).get(_LOADED) == stamp:
        return []
    errors = []
    for module in module_names(package):
        name = f"{package.__name__}.{module}"
        try:
            loaded = importlib.import_module(name)
            if hasattr(loaded, "__path__"):
                errors += import_all_modules(loaded)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - boundary: loading a plugin
            errors.append(SoftError("load", name, f"{type(error).__name__}: {error}"))
    if not errors:
        vars(package)[_LOADED] = stamp
    return errors


def _folder_mtimes(package: ModuleType) -> list[tuple[str, int]] | None:
    """Return the folders of a package and when each was changed; None inside of an archive."""
    try:
        return [(folder, os.stat(folder).st_mtime_ns) for folder in package.__path__]
    except OSError:
        return None


def module_names(package: ModuleType) -> list[str]:
    """Return the names of a package's modules and packages, sorted.

    Listing the folder takes 0.1 ms; pkgutil would import inspect and ast for it (15 ms). Inside a
    zip archive there is no folder, and pkgutil is asked.
    """
    names: set[str] = set()
    for folder in package.__path__:
        try:
            files = os.listdir(folder)
        except OSError:
            import pkgutil

            return sorted(info.name for info in pkgutil.iter_modules(package.__path__))
        names |= {name[:-3] for name in files if name.endswith(".py")}
        rooms = (name for name in files if "." not in name)
        names |= {name for name in rooms if os.path.isfile(f"{folder}/{name}/__init__.py")}
    return sorted(names - {"__init__"})


def _import_commands_package(folder: str) -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    loaded = sys.modules.get("gdb_epi.commands")
    if loaded is not None and list(loaded.__path__) == [folder]:
        return loaded
    init = os.path.join(folder, "__init__.py")
    spec = spec_from_file_location("gdb_epi.commands", init, submodule_search_locations=[folder])
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"no package at {folder}", name="gdb_epi.commands")
    module = module_from_spec(spec)
    sys.modules["gdb_epi.commands"] = module
    spec.loader.exec_module(module)
    return module
