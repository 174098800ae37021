# SPDX-License-Identifier: Apache-2.0
"""`epi modules`: what each interpreter had imported, with versions."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.cpython.runtime.modules import (
    EXTENSION,
    ImportedModule,
    ImportedModules,
    Package,
    packages_by_files,
    read_imported_modules,
    top_level_packages,
)
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.errors import Absent, SoftError
from gdb_epi.registry import argument, command, limit_argument
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.typing_lite import Any


@command(
    "modules",
    arguments=(
        argument(
            "name",
            nargs="?",
            default="",
            completes="modules",
            help="only this package and what is in it",
        ),
        argument("--all", action="store_true", help="submodules and the standard library too"),
        limit_argument(500, "lines in all"),
    ),
)
def show_imported_packages(session: Session, args: Namespace) -> Report:
    """Show the imported packages with the versions in the core.

    Versions are __version__ and the metadata folders (NAME-VERSION.dist-info) that the import
    system had listed. Extension modules come with their build-id; imports that had not ended are
    marked. The standard library and submodules are left out unless --all or NAME is given.
    """
    python = session.state.required_python()
    access = PlainValues(session.target, python)
    sysroot = session.sysroot or None
    errors: list[SoftError] = []
    interpreters: list[dict[str, Any]] = []
    rows: list[list[object]] = []
    for interpreter in python.interpreters:
        imported = read_imported_modules(session.target, python, interpreter, access=access)
        if isinstance(imported, Absent):
            errors.append(SoftError("modules", f"interpreter {interpreter.id}", imported.detail))
            continue
        errors += imported.soft_errors
        chosen = [module for module in imported.modules if _is_module_chosen(module, args)]
        listed = packages_by_files(imported, top_level_packages(imported), sysroot)
        interpreters.append(_modules_json(imported, chosen, listed))
        rows += _module_rows(imported, chosen, listed)
        hidden = len(imported.modules) - len(chosen)
        if hidden and not args.name:
            text = f"{hidden} more: submodules and the standard library (--all)"
            errors.append(SoftError("modules", f"interpreter {interpreter.id}", text))
    limit = args.limit
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
        data={"interpreters": interpreters},
        soft_errors=errors,
    )


def _is_module_chosen(module: ImportedModule, args: Namespace) -> bool:
    if args.name:
        return module.name == args.name or module.name.startswith(args.name + ".")
    # An import that had not ended is news wherever it is.
    return args.all or module.initializing or not (module.stdlib or "." in module.name)


def _module_rows(
    imported: ImportedModules, chosen: list[ImportedModule], listed: list[Package]
) -> list[list[object]]:
    packages_by_name = {package.name: package for package in listed}
    rows: list[list[object]] = []
    for module in chosen:
        package = packages_by_name.get(module.name)
        version = package.version if package is not None else module.version
        state = "importing" if module.initializing else module.problem
        rows.append(
            [
                imported.interpreter,
                module.name,
                version,
                module.kind,
                state,
                module.build_id,
                module.file,
            ]
        )
    return rows


def _modules_json(
    imported: ImportedModules, chosen: list[ImportedModule], listed: list[Package]
) -> dict[str, Any]:
    packages_by_name = {package.name: package for package in listed}
    return {
        "interpreter": imported.interpreter,
        "count": len(imported.modules),
        "modules": [_module_json(module, packages_by_name.get(module.name)) for module in chosen],
        "distributions": [package._asdict() for package in imported.distributions],
    }


def _module_json(module: ImportedModule, package: Package | None) -> dict[str, Any]:
    source = "__version__" if module.version else None
    fields = {**module._asdict(), "address": f"0x{module.address:016x}", "version_source": source}
    if package is not None:
        fields |= {"version": package.version, "version_source": package.source or None}
        if package.distribution is not None:
            fields["distribution"] = package.distribution._asdict()
    fields["problem"] = module.problem or None
    if module.kind != EXTENSION:
        del fields["build_id"]
    return fields
