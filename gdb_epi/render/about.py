# SPDX-License-Identifier: Apache-2.0
"""What is loaded: versions, the process, where its layout comes from, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi import __version__
from gdb_epi.cpython.runtime.find_runtime import RECOVERED
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.render.escape import escape, fold_line, screen_width
from gdb_epi.session import Session
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted

MAX_MISSING = 4  # notes of `info epi`

# What each optional package is for, and so what is missing without it.
PACKAGES = {
    "elftools": ("pyelftools", "static symbols and sections of files"),
    "tabulate": ("tabulate", "tables with wide characters"),
    "pygments": ("pygments", "coloured source"),
    "sqlalchemy": ("sqlalchemy", "the fleet database"),
}


def about_lines(session: Session, settings: Mapping[str, str]) -> list[str]:
    """Return the few lines of `info epi`, as wide as the screen; `epi doctor` says more."""
    host = session.host_facts
    lines = version_lines(host, {})
    if not session.has_target:
        lines.append("no process and no core is loaded")
    else:
        python = session.state.python
        lines += core_and_cpython_lines(core_facts(session.target, host), cpython_facts(python))
    missing = [
        f"{PACKAGES[name][0]}: {PACKAGES[name][1]}" for name in PACKAGES if not _is_installed(name)
    ]
    if session.has_target:
        errors = session.state.all_soft_errors()
        missing += [f"{error.subject}: {error.message}" for error in errors]
    lines += [f"missing: {text}" for text in missing[:MAX_MISSING]]
    if len(missing) > MAX_MISSING:
        lines.append(f"missing: {len(missing) - MAX_MISSING} more (epi doctor)")
    shown = ", ".join(f"{name} {value}" for name, value in settings.items() if value)
    lines.append(f"settings: {shown} (show epi)")
    return [part for line in lines for part in fold_line(escape(line), screen_width())]


def _is_installed(package: str) -> bool:
    from importlib.util import find_spec

    return find_spec(package) is not None


def package_version_and_place(name: str) -> dict[str, str | None]:
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


def version_lines(host: Mapping[str, Any], packages: Mapping[str, Any]) -> list[str]:
    """Return the versions of this tool, of the host, and of optional packages."""
    lines = [f"gdb-epi {__version__}"]
    if "gdb" in host:
        lines[0] += f", GDB {host['gdb']} with Python {host['python']}"
    for name, state in packages.items():
        if state["version"] is None:
            lines.append(f"{name}: not installed; missing: {PACKAGES[name][1]}")
        else:
            lines.append(f"{name} {state['version']} from {state['path']}")
    return lines


def core_facts(target: Target, host: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is loaded, and what of it is missing."""
    from gdb_epi.target.missing_memory import measure_missing_memory, missing_memory_sentence

    crash, truncation, memory = target.crash(), target.truncation(), measure_missing_memory(target)
    return {
        "kind": target.kind,
        "path": host.get("core") or getattr(target, "path", None),
        "executable": host.get("executable"),
        "sysroot": host.get("sysroot"),
        "threads": len(target.threads()),
        "regions": len(target.regions()),
        "truncated": truncation._asdict(),
        "memory": {**memory._asdict(), "mappings": [m._asdict() for m in memory.mappings]},
        "memory_text": missing_memory_sentence(memory),
        "signal": crash if isinstance(crash, Absent) else crash._asdict(),
    }


def cpython_facts(python: PythonState | Absent) -> dict[str, Any]:
    """Return which CPython was decoded, by which layout."""
    if isinstance(python, Absent):
        return {"absent": python.reason, "detail": python.detail}
    return {
        "version": python.version,
        "found_by": python.found_by,
        "runtime": f"0x{python.runtime:016x}",
        "layout": python.layout.source,
        "threads": len(python.threads()),
    }


def core_and_cpython_lines(core: Mapping[str, Any], cpython: Mapping[str, Any]) -> list[str]:
    """Return core_facts() and cpython_facts() as lines."""
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
        origin = f"at {cpython['runtime']}, found by {cpython['found_by']}"
        if cpython["found_by"] == RECOVERED:
            origin = "without its own list of threads: they were found by a search of memory"
        lines.append(
            f"CPython {cpython['version']} {origin}; layout from {cpython['layout']}; "
            f"{counted(cpython['threads'], 'thread state')}"
        )
    return lines
