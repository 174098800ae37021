# SPDX-License-Identifier: Apache-2.0
"""`epi doctor`: what was found how, and what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gdb_epi import __version__
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.registry import command
from gdb_epi.report import Report
from gdb_epi.target.api import Module, Target
from gdb_epi.typing_lite import TYPE_CHECKING, Any
from gdb_epi.util import counted

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session

# What each optional package is for; without it that much is missing.
PACKAGES = {
    "elftools": ("pyelftools", "static symbols and sections of files"),
    "tabulate": ("tabulate", "tables with wide characters"),
    "pygments": ("pygments", "coloured source"),
    "sqlalchemy": ("sqlalchemy", "the fleet database"),
}

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
    data: dict[str, Any] = {
        "gdb_epi": __version__,
        "gdb": host.get("gdb"),
        "python": host.get("python"),
        "packages": packages,
        "broken": broken,
    }
    lines = _version_lines(host, packages)
    lines += [f"failed to load: {error.subject}: {error.message}" for error in broken]
    rows: list[list[object]] = []
    errors: list[SoftError] = []
    if session.has_target:
        python = session.state.python
        data["core"] = _core(session.target, host)
        data["cpython"] = _cpython(python)
        data["modules"] = _modules(session.target, host.get("loaded_build_id"))
        lines += _process_lines(data["core"], data["cpython"])
        rows = [[m["build_id"], m["file"], m["gdb"], m["path"]] for m in data["modules"]]
        errors = session.state.all_soft_errors()
    else:
        lines.append("no process and no core is loaded")
    columns = ("build-id", "file here", "GDB's file", "object")
    data["soft_errors"] = [error._asdict() for error in errors]
    return Report("doctor", columns, rows, lines, data, errors)


def package_state(name: str) -> dict[str, str | None]:
    """Return version and place of an optional package, without importing it."""
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    spec = find_spec(name)
    if spec is None:
        return {"version": None, "path": None}
    try:
        installed = version(PACKAGES[name][0])
    except PackageNotFoundError:
        installed = "unknown"
    return {"version": installed, "path": spec.origin}


def _broken_detectors() -> list[SoftError]:
    from gdb_epi import detectors
    from gdb_epi.loader import load_all

    return load_all(detectors)


def _version_lines(host: Mapping[str, Any], packages: Mapping[str, Any]) -> list[str]:
    lines = [f"gdb-epi {__version__}"]
    if "gdb" in host:
        lines[0] += f", GDB {host['gdb']} with Python {host['python']}"
    for name, state in packages.items():
        if state["version"] is None:
            lines.append(f"{name}: not installed; missing: {PACKAGES[name][1]}")
        else:
            lines.append(f"{name} {state['version']} from {state['path']}")
    return lines


def _core(target: Target, host: Mapping[str, Any]) -> dict[str, Any]:
    from gdb_epi.target.missing import missing_memory, missing_text

    crash, truncation, memory = target.crash(), target.truncation(), missing_memory(target)
    return {
        "kind": target.kind,
        "path": host.get("core") or getattr(target, "path", None),
        "executable": host.get("executable"),
        "sysroot": host.get("sysroot"),
        "threads": len(target.threads()),
        "regions": len(target.regions()),
        "truncated": truncation._asdict(),
        "memory": {**memory._asdict(), "mappings": [m._asdict() for m in memory.mappings]},
        "memory_text": missing_text(memory),
        "signal": crash if isinstance(crash, Absent) else crash._asdict(),
    }


def _cpython(python: PythonState | Absent) -> dict[str, Any]:
    if isinstance(python, Absent):
        return {"absent": python.reason, "detail": python.detail}
    return {
        "version": python.version,
        "found_by": python.found_by,
        "runtime": f"0x{python.runtime:016x}",
        "layout": python.layout.source,
        "threads": len(python.threads()),
    }


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


def _process_lines(core: Mapping[str, Any], cpython: Mapping[str, Any]) -> list[str]:
    lines = [f"{core['kind']}: {core['path'] or 'no file'}, {counted(core['threads'], 'thread')}"]
    if core["truncated"]["truncated"]:
        lines.append(f"truncated: {core['truncated']['reason']}")
    if core["memory_text"]:
        lines.append(f"missing: {core['memory_text']}")
    if isinstance(core["signal"], Absent):
        lines.append(f"no signal: {core['signal'].detail}")
    else:
        lines.append(f"signal {core['signal']['signo']} in thread {core['signal']['tid']}")
    if "absent" in cpython:
        lines.append(str(cpython["detail"]))
    else:
        lines.append(
            f"CPython {cpython['version']} at {cpython['runtime']}, found by "
            f"{cpython['found_by']}; layout from {cpython['layout']}; "
            f"{counted(cpython['threads'], 'thread state')}"
        )
    return lines
