# SPDX-License-Identifier: Apache-2.0
"""Load this copy of gdb-epi into GDB. `source gdb_epi` runs it; so does `source` on this file.

The package is loaded by file location, so neither the checkout nor site-packages gets in front
of anything GDB's Python imports. Sourcing the same copy again keeps the loaded modules.
os.path instead of pathlib: it is what GDB has imported already.
"""

from __future__ import annotations


def _dependency_folders(package: str) -> list[str]:
    """Return the folders that may hold tabulate, pygments, pyelftools and sqlalchemy."""
    import os

    parent = os.path.dirname(package)
    if os.path.basename(parent) in ("site-packages", "dist-packages"):
        return [parent]
    named = os.environ.get("GDB_EPI_SITE")
    if named:
        return [folder for folder in named.split(os.pathsep) if folder]
    library = os.path.join(parent, ".venv", "lib")
    pythons = sorted(os.listdir(library)) if os.path.isdir(library) else []
    return [os.path.join(library, name, "site-packages") for name in pythons]


def _load(package: str) -> None:
    """Import gdb_epi from the folder `package`, in place of any other copy."""
    import importlib.util
    import os
    import sys

    init = os.path.join(package, "__init__.py")
    loaded = sys.modules.get("gdb_epi")
    if loaded is not None and getattr(loaded, "__file__", None) == init:
        return
    for name in [n for n in sys.modules if n == "gdb_epi" or n.startswith("gdb_epi.")]:
        del sys.modules[name]
    spec = importlib.util.spec_from_file_location(
        "gdb_epi", init, submodule_search_locations=[package]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {init}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["gdb_epi"] = module
    spec.loader.exec_module(module)


def _bootstrap(path: str) -> None:
    """Load the package beside this file and register the `epi` commands."""
    import os
    import sys

    if sys.version_info < (3, 10):  # noqa: UP036 - GDB brings its own Python
        import gdb

        raise gdb.GdbError("gdb-epi needs a GDB with Python 3.10 or later")
    package = os.path.dirname(os.path.realpath(path))
    _load(package)
    for folder in _dependency_folders(package):
        if folder not in sys.path and os.path.isdir(folder):
            sys.path.append(folder)
    from gdb_epi.gdbhost.command_adapter import install_commands

    install_commands()


_bootstrap(__file__)
