# SPDX-License-Identifier: Apache-2.0
"""`epi layout`: which offsets the decoder uses, and tables from debug information."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.cpython.layout.layout import Layout, available_tables, load_layout
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import InputError
from gdb_epi.registry import argument, command
from gdb_epi.render.escape import wrap_text
from gdb_epi.report import Report, unfolded_lines
from gdb_epi.session import Session


@command(
    "layout",
    needs="nothing",
    arguments=(
        argument("struct", nargs="?", help="a struct of CPython, e.g. PyThreadState"),
        argument("--emit", action="store_true", help="a table from the loaded debug information"),
        argument("--python", metavar="3.X", help="the shipped table of this version"),
    ),
)
def show_struct_layouts(session: Session, args: Namespace) -> Report:
    """Show where CPython keeps its fields: all tables, or one struct.

    With --emit, generate a table (the form of gdb_epi/cpython/layout/generated/*.json) from the
    debug information that GDB has loaded; use it with --output.
    """
    if args.emit:
        return _emit_layout_table(session)
    if args.struct is None:
        names = [f"{v[0]}.{v[1]}{flavour}" for v, flavour in available_tables()]
        used = _layout_in_use(session)
        lines = [f"In use for this process: {used.source}"] if used else []
        lines += wrap_text(f"Tables here (d: debug build, t: free-threaded): {', '.join(names)}")
        data = {"title": "layout tables", "rows": [{"CPython": name} for name in names]}
        return Report("layout tables", lines=lines, data=data)
    return _struct_layout_report(session, args.struct, args.python)


def _layout_in_use(session: Session) -> Layout | None:
    python = session.state.python if session.has_target else None
    return python.layout if isinstance(python, PythonState) else None


def _emit_layout_table(session: Session) -> Report:
    from gdb_epi.cpython.layout.struct_specs import make_layout_document

    source = session.debug_types
    if source is None:
        raise InputError("no debug information here", hint="run inside gdb, on a libpython")
    table = make_layout_document(source.type_layout, source.constant, source.layout_table_header())
    if not table["structs"]:
        message = "the loaded CPython has no debug information of its structs"
        raise InputError(message, hint="its -dbg package, or set debuginfod enabled on")
    import json

    text = json.dumps(table, indent=1)
    return Report("layout table", lines=unfolded_lines(text), data=table)


def _struct_layout_report(session: Session, name: str, version: str | None) -> Report:
    if version is not None:
        parts = version.rstrip("td").split(".")
        flavour = version[len(version.rstrip("td")) :]
        if len(parts) != 2 or not all(part.isdigit() for part in parts):
            raise InputError(f"{version!r} is no version", hint="--python 3.13 or 3.13t")
        table = load_layout((int(parts[0]), int(parts[1])), "t" in flavour, "d" in flavour)
    else:
        table = _layout_in_use(session)
    if table is None:
        raise InputError("no layout for it", hint="epi layout lists the tables; --python 3.X")
    struct = table.struct(name)
    if struct is None:
        raise InputError(f"no struct {name!r} in {table.source}", hint="epi layout PyThreadState")
    rows = [
        [
            path,
            member.offset,
            member.size,
            f"{member.bit_offset}:{member.bit_size}" * bool(member.bit_size),
        ]
        for path, member in sorted(struct.fields.items(), key=lambda item: item[1])
    ]
    title = f"{name}, {struct.size} bytes; {table.source}"
    return Report(title, ("member", "offset", "size", "bits"), rows, lines=[title])
