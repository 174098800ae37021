# SPDX-License-Identifier: Apache-2.0
"""`epi doctor`: what was found how, and what is missing."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping

from gdb_epi import __version__
from gdb_epi.errors import Absent, SoftError
from gdb_epi.registry import argument, command
from gdb_epi.render.about import (
    PACKAGES,
    core_and_cpython_lines,
    core_facts,
    cpython_facts,
    package_version_and_place,
    version_lines,
)
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.target.api import Module, Target
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted

MATCHES, NOT_LOADED, OTHER = "matches", "not loaded", "another build"
VDSO, VDSO_NAME = "the vDSO is part of the kernel", "linux-vdso.so.1"  # no file has it
MAX_NAMED = 3
LoadedBuildId = Callable[[Module], "str | None"]


@command(
    "doctor",
    arguments=(argument("--all", action="store_true", help="also the files that are right"),),
    needs="nothing",
)
def show_what_is_missing(session: Session, args: Namespace) -> Report:
    """Say what is missing to read this core, and what to type.

    "ready", or the problems, each with what to type. Covers GDB, Python and the optional packages;
    the core and whether it is whole; the runtime of CPython and where its layout comes from; for
    each mapped object whether the file here and the file that GDB loaded are the build that ran;
    commands and detectors that failed to load.
    """
    host = session.host_facts
    packages = {name: package_version_and_place(name) for name in PACKAGES}
    broken = [*host.get("broken", ()), *_broken_detectors()]
    document: dict[str, Any] = {
        "gdb_epi": __version__,
        "gdb": host.get("gdb"),
        "python": host.get("python"),
        "packages": packages,
        "broken": broken,
    }
    problems = [f"failed to load: {error.subject}: {error.message}" for error in broken]
    lines = version_lines(host, packages)
    rows: list[list[object]] = []
    errors: list[SoftError] = []
    if session.has_target:
        python = session.state.python
        document["core"] = core_facts(session.target, host)
        document["cpython"] = cpython_facts(python)
        document["modules"] = _compare_build_ids_of_modules(
            session.target, host.get("loaded_build_id")
        )
        lines += core_and_cpython_lines(document["core"], document["cpython"])
        problems += collect_problems(document)
        rows = [
            [m["build_id"], _module_file_status(m), m["gdb"], m["path"]]
            for m in document["modules"]
            if args.all or not _is_matching_file_loaded(m)
        ]
        right = len(document["modules"]) - len(rows)
        if right:
            lines.append(f"{counted(right, 'file')} of the process as it ran (--all lists them)")
        errors = session.state.all_soft_errors()
    else:
        lines.append("no process and no core is loaded")
        problems.append("no process and no core is loaded\n    try: core-file FILE, or attach PID")
    columns = ("build-id", "file here", "GDB's file", "object")
    document["problems"] = [problem.partition("\n")[0] for problem in problems]
    answer = counted(len(problems), "problem") if problems else "ready"
    shown = [line for problem in problems for line in f"  {problem}".split("\n")]
    lines = [answer, *shown, "", *lines]
    return Report("doctor", columns, rows, lines, document, errors)


def collect_problems(document: Mapping[str, Any]) -> list[str]:
    """Return what keeps answers from being whole, each with what to type where that helps."""
    core, modules = document["core"], document["modules"]
    problems = []
    if core["truncated"]["truncated"]:
        problems.append(f"the core was cut off: {core['truncated']['reason']}")
    if "absent" in document["cpython"]:
        problems.append(str(document["cpython"]["detail"]))
    files = [m for m in modules if m["file"] not in (MATCHES, VDSO) and m["path"] != VDSO_NAME]
    if files:
        named = ", ".join(m["path"] for m in files[:MAX_NAMED])
        more = f" and {len(files) - MAX_NAMED} more" if len(files) > MAX_NAMED else ""
        way = "\n    try: set sysroot DIR, below which they lie by their paths"
        lost = all(m["build_id"] is None for m in files)  # whichever lie there, none is trusted
        absent = f"not here as the core had them: {named}{more} ({_module_file_status(files[0])})"
        problems.append(absent + ("" if lost else way))
    unloaded = [m for m in modules if m["file"] == MATCHES and m["gdb"] in (NOT_LOADED, OTHER)]
    if unloaded:
        number = counted(len(unloaded), "file")
        first = f"GDB has not loaded {number} of the core: no names of C functions there"
        again = f"\n    then: core-file {core['path']}" if core["path"] else ""
        problems.append(f"{first}\n    try: file {modules[0]['path']}{again}")
    return problems


def _is_matching_file_loaded(module: Mapping[str, Any]) -> bool:
    """Tell whether an object's file is the one that ran, and GDB has it."""
    of_kernel = module["file"] == VDSO or module["path"] == VDSO_NAME
    return of_kernel or (module["file"] == MATCHES and module["gdb"] in (MATCHES, None))


def _module_file_status(module: Mapping[str, Any]) -> str:
    """Return whether the file of an object is here; its path stands beside that."""
    return str(module["file"]).removeprefix(f"{module['path']}: ")


def _broken_detectors() -> list[SoftError]:
    from gdb_epi import detectors
    from gdb_epi.loader import import_all_modules

    return import_all_modules(detectors)


def _compare_build_ids_of_modules(
    target: Target, loaded_build_id: LoadedBuildId | None
) -> list[dict[str, Any]]:
    """Compare the build-ids in memory with those of the file here and of GDB's file."""
    rows = []
    for module in target.modules():
        loaded = loaded_build_id(module) if loaded_build_id else None
        file = MATCHES if not isinstance(module.file, Absent) else module.file.detail
        rows.append(
            {
                "path": module.path,
                "build_id": module.build_id,
                "file": file,
                "gdb": _compare_build_ids(module.build_id, loaded) if loaded_build_id else None,
                "gdb_build_id": loaded,
            }
        )
    return rows


def _compare_build_ids(build_id: str | None, loaded: str | None) -> str:
    if loaded is None:
        return NOT_LOADED
    if build_id is None:
        return "cannot tell"
    return MATCHES if loaded == build_id else OTHER
