# SPDX-License-Identifier: Apache-2.0
"""`epi modules`: what each interpreter had imported, with versions."""

from __future__ import annotations

from gdb_epi.cpython.runtime.modules import (
    EXTENSION,
    ImportedModule,
    ImportedModules,
    Package,
    interpreter_modules,
    packages_by_files,
    top_level_packages,
)
from gdb_epi.cpython.values.plain_values import PlainValues
from gdb_epi.errors import Absent, SoftError
from gdb_epi.registry import argument, command
from gdb_epi.report import Report
from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session


@command(
    "modules",
    arguments=(
        argument("name", nargs="?", default="", help="only this package and what is in it"),
        argument("--all", action="store_true", help="submodules and the standard library too"),
        argument("--limit", type=int, default=500, metavar="N", help="lines in all (500)"),
    ),
)
def modules(session: Session, args: Namespace) -> Report:
    """Show the imported packages of every interpreter, with the versions found in the core.

    Versions are __version__ and the metadata folders (NAME-VERSION.dist-info) that the import
    system had listed. Extension modules come with their build-id; imports that had not ended are
    marked. The standard library and submodules are left out unless --all or NAME is given.
    """
    python = session.state.required_python()
    access = PlainValues(session.target, python)
    sysroot = str(session.options.get("sysroot") or "") or None
    errors: list[SoftError] = []
    data: list[dict[str, Any]] = []
    rows: list[list[object]] = []
    for interpreter in python.interpreters:
        found = interpreter_modules(session.target, python, interpreter, access=access)
        if isinstance(found, Absent):
            errors.append(SoftError("modules", f"interpreter {interpreter.id}", found.detail))
            continue
        errors += found.soft_errors
        chosen = [one for one in found.modules if _wanted(one, args)]
        listed = packages_by_files(found, top_level_packages(found), sysroot)
        data.append(_json(found, chosen, listed))
        rows += _rows(found, chosen, listed)
        hidden = len(found.modules) - len(chosen)
        if hidden and not args.name:
            text = f"{hidden} more: submodules and the standard library (--all)"
            errors.append(SoftError("modules", f"interpreter {interpreter.id}", text))
    limit = max(args.limit, 1)
    if len(rows) > limit:
        errors.append(SoftError("modules", "table", f"{len(rows) - limit} more (--limit N)"))
    columns = ("interpreter", "module", "version", "kind", "state", "build-id", "file")
    alone = len(python.interpreters) == 1
    none = f"no imported module is called {args.name}; try: epi modules --all" if args.name else ""
    return Report(
        "imported modules",
        columns=columns[1:] if alone else columns,
        rows=[row[1:] if alone else row for row in rows[:limit]],
        lines=[none] if none and not rows else (),
        data={"interpreters": data, "soft_errors": [error._asdict() for error in errors]},
        soft_errors=errors,
    )


def _wanted(one: ImportedModule, args: Namespace) -> bool:
    if args.name:
        return one.name == args.name or one.name.startswith(args.name + ".")
    # An import that had not ended is news wherever it is.
    return args.all or one.initializing or not (one.stdlib or "." in one.name)


def _rows(
    found: ImportedModules, chosen: list[ImportedModule], listed: list[Package]
) -> list[list[object]]:
    known = {one.name: one for one in listed}
    rows: list[list[object]] = []
    for one in chosen:
        package = known.get(one.name)
        version = package.version if package is not None else one.version
        state = "importing" if one.initializing else one.problem
        row = [found.interpreter, one.name, version, one.kind, state, one.build_id, one.file]
        rows.append(row)
    return rows


def _json(
    found: ImportedModules, chosen: list[ImportedModule], listed: list[Package]
) -> dict[str, Any]:
    known = {one.name: one for one in listed}
    return {
        "interpreter": found.interpreter,
        "count": len(found.modules),
        "modules": [_module(one, known.get(one.name)) for one in chosen],
        "distributions": [one._asdict() for one in found.distributions],
    }


def _module(one: ImportedModule, package: Package | None) -> dict[str, Any]:
    source = "__version__" if one.version else None
    fields = {**one._asdict(), "address": f"0x{one.address:016x}", "version_source": source}
    if package is not None:
        fields |= {"version": package.version, "version_source": package.source or None}
        if package.distribution is not None:
            fields["distribution"] = package.distribution._asdict()
    fields["problem"] = one.problem or None
    if one.kind != EXTENSION:
        del fields["build_id"]
    return fields
