# SPDX-License-Identifier: Apache-2.0
"""`epi doctor`: what was found how, and what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gdb_epi import __version__
from gdb_epi.errors import Absent, SoftError
from gdb_epi.registry import command
from gdb_epi.render.about import (
    PACKAGES,
    core_facts,
    cpython_facts,
    package_state,
    process_lines,
    version_lines,
)
from gdb_epi.report import Report
from gdb_epi.target.api import Module, Target
from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session

LoadedBuildId = Callable[[Module], "str | None"]


@command("doctor", needs="nothing")
def doctor(session: Session, args: Namespace) -> Report:
    """Say what was found and how, what is missing, and which versions are at work.

    Covers GDB, Python and the optional packages; the core and whether it is whole; the runtime
    of CPython and where its layout comes from; for each mapped object whether the file here and
    the file that GDB loaded are the build that ran; commands and detectors that failed to load.
    """
    host: Mapping[str, Any] = session.options.get("host") or {}
    packages = {name: package_state(name) for name in PACKAGES}
    broken = [*host.get("broken", ()), *_broken_detectors()]
    document: dict[str, Any] = {
        "gdb_epi": __version__,
        "gdb": host.get("gdb"),
        "python": host.get("python"),
        "packages": packages,
        "broken": broken,
    }
    lines = version_lines(host, packages)
    lines += [f"failed to load: {error.subject}: {error.message}" for error in broken]
    rows: list[list[object]] = []
    errors: list[SoftError] = []
    if session.has_target:
        python = session.state.python
        document["core"] = core_facts(session.target, host)
        document["cpython"] = cpython_facts(python)
        document["modules"] = _modules(session.target, host.get("loaded_build_id"))
        lines += process_lines(document["core"], document["cpython"])
        rows = [[m["build_id"], m["file"], m["gdb"], m["path"]] for m in document["modules"]]
        errors = session.state.all_soft_errors()
    else:
        lines.append("no process and no core is loaded")
    columns = ("build-id", "file here", "GDB's file", "object")
    document["soft_errors"] = [error._asdict() for error in errors]
    return Report("doctor", columns, rows, lines, document, errors)


def _broken_detectors() -> list[SoftError]:
    from gdb_epi import detectors
    from gdb_epi.loader import load_all

    return load_all(detectors)


def _modules(target: Target, loaded_build_id: LoadedBuildId | None) -> list[dict[str, Any]]:
    """Compare the build-ids in memory with those of the file here and of GDB's file."""
    rows = []
    for module in target.modules():
        loaded = loaded_build_id(module) if loaded_build_id else None
        file = "matches" if not isinstance(module.file, Absent) else module.file.detail
        rows.append(
            {
                "path": module.path,
                "build_id": module.build_id,
                "file": file,
                "gdb": _compared(module.build_id, loaded) if loaded_build_id else None,
                "gdb_build_id": loaded,
            }
        )
    return rows


def _compared(build_id: str | None, loaded: str | None) -> str:
    if loaded is None:
        return "not loaded"
    if build_id is None:
        return "cannot tell"
    return "matches" if loaded == build_id else "another build"
