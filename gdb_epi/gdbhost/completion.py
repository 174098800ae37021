# SPDX-License-Identifier: Apache-2.0
"""What TAB offers after an `epi` command: names, modules, types, findings. Nothing is searched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from gdb_epi.cpython.values.expression_path import own_attributes
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import Absent, EpiError
from gdb_epi.session import Session

MAX_NAMES = 5000
MAX_NAME = 200  # characters


def completions(kind: str, session: Session, beginning: str) -> list[str]:
    """Return the words of a kind with this beginning, sorted, as far as they are readable."""
    fitting: set[str] = set()
    with suppress(EpiError):  # the words before the problem can be typed all the same
        for word in _KINDS[kind](session, beginning):
            if word.startswith(beginning) and word.isprintable() and " " not in word:
                fitting.add(word)
    return sorted(fitting)[:MAX_NAMES]


def _complete_names(session: Session, beginning: str) -> Iterator[str]:
    """Yield variables of the selected frame and modules; after a dot attributes."""
    yield from _complete_modules(session, beginning)
    values = session.values()
    base, dot, _ = beginning.rpartition(".")
    if dot:
        from gdb_epi.expressions import locate_object

        located = locate_object(session, values, base)
        decoder = values.decoder()
        if not located.c_struct:
            obj = decoder.obj(located.address)
            yield from (f"{base}.{name}" for name, _ in own_attributes(decoder, obj))
            yield from (
                f"{base}.{name}" for name in _attribute_names_of_classes(session, located.address)
            )
        return
    frame = session.python_frame(None)
    reader = FrameVariables(values)
    yield from (name for name, _ in reader.variable_addresses(frame))
    yield from (name for name, _ in reader.global_addresses(frame))


def _attribute_names_of_classes(session: Session, address: int) -> Iterator[str]:
    """Yield what the classes of an object, or of a class, define."""
    context = session.values().context
    lineage = context.types.lineage(context.reader.type_of(address))
    if lineage.ident == "type":
        lineage = context.types.lineage(address)
    at = context.reader.layout.require("PyTypeObject", "tp_dict")
    for info in lineage.types:
        contents = context.reader.u64(info.address + at)  # 0 of built-in types since 3.12
        yield from (name for name, _ in _string_keyed_items(session, contents))


def _complete_modules(session: Session, beginning: str) -> Iterator[str]:
    """Yield names in sys.modules, as far as the next dot."""
    python = session.state.required_python()
    objects = session.values().context.objects
    depth = beginning.count(".") + 1
    for interpreter in python.interpreters:
        table = objects.sys_modules(interpreter.address)
        if isinstance(table, int) and table:
            yield from (n for n, _ in _string_keyed_items(session, table) if n.count(".") < depth)


def _complete_types(session: Session, beginning: str) -> Iterator[str]:
    """Yield the types that a search has found, else the classes that modules of frames define."""
    python = session.state.required_python()
    if python.searched is not None and python.searched.types is not None:
        for info in python.searched.types.values():
            yield from (info.qualified_name, info.qualname)
        return
    context = session.values().context
    objects, types, reader = context.objects, context.types, context.reader
    tid = session.chosen_tid()
    thread = session.state.python_thread(tid) if tid is not None else None
    modules = {frame.module for frame in (thread.frames if thread else ())[:50] if frame.module}
    for interpreter in python.interpreters[:1]:
        for module in ("builtins", *sorted(modules)):
            contents = objects.module_dict(interpreter.address, module)
            if isinstance(contents, Absent):
                continue
            for name, value in _string_keyed_items(session, contents):
                if types.lineage(reader.type_of(value)).ident == "type":
                    yield from (name, f"{module}.{name}")


def _string_keyed_items(session: Session, contents: int) -> Iterator[tuple[str, int]]:
    """Yield the entries of a dict (PyObject *) whose keys are strings; nothing of a NULL."""
    context = session.values().context
    for key, value in context.objects.dict_items(contents) if contents else ():
        name = context.reader.string(key, MAX_NAME)
        if not isinstance(name, Absent):
            yield name, value


def _complete_findings(_session: Session, _beginning: str) -> Iterable[str]:
    from gdb_epi.detectors.finding_pages import page_names

    return page_names()  # the codes of checks are seen in `epi corruption --evidence` alone


_KINDS: dict[str, Callable[[Session, str], Iterable[str]]] = {
    "names": _complete_names,
    "modules": _complete_modules,
    "types": _complete_types,
    "findings": _complete_findings,
}
