# SPDX-License-Identifier: Apache-2.0
"""The frame with which a call begins in a dry run (dry_run.py): its code, arguments and cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.values.repr_decoder import ReprDecoder, Undecodable
from gdb_epi.cpython.values.value_stack import (
    BuiltStr,
    BuiltTuple,
    CertainException,
    FunctionMadeByCode,
    Item,
    ProcessObject,
)
from gdb_epi.hangs.dry_run.container_evaluation import MAX_ITEMS
from gdb_epi.hangs.dry_run.object_evaluation import ObjectEvaluation


def begin_call(
    run: ObjectEvaluation, function: ProcessObject | FunctionMadeByCode,
    arguments: Sequence[Item], keywords: Mapping[str, Item],
) -> None:  # fmt: skip
    """Make a run the call of a function. Raises Undecodable, Raised."""
    decoder, named, defaults = run.decoder, dict[str, Item](), tuple[Item, ...]()
    if isinstance(function, FunctionMadeByCode):
        run.code, run.globals, cells, defaults = function
    else:
        run.function = at = function.address
        run.code, run.globals, given, given_named = (
            decoder.field(at, "PyFunctionObject", name)
            for name in ("func_code", "func_globals", "func_defaults", "func_kwdefaults")
        )
        containers = ContainerReader(decoder.reader)
        words = containers.closure_values(at, MAX_ITEMS)
        cells = tuple(ProcessObject(word) if word else None for word in words)
        if given:
            defaults = tuple(map(ProcessObject, containers.tuple_items(given)))
        named = _named_defaults(decoder, given_named)
    run.locals = _bind_arguments_to_variables(run, arguments, keywords, defaults, named)
    _place_cell_variables(run, cells)
    if run.has_code_flag("CO_ASYNC_GENERATOR"):
        raise Undecodable("an asynchronous generator")


def _place_cell_variables(run: ObjectEvaluation, cells: Sequence[Item]) -> None:
    """Put the variables of functions around this one, and its own cells, in their places."""
    layout = run.decoder.layout
    if layout.offset("PyCodeObject", "co_localsplusnames") is not None:
        first = run.code_int_member("co_nlocalsplus") - len(cells)
    else:  # up to 3.10: cells apart; those of arguments begin with them
        variables, own = run.code_names("co_varnames"), run.code_names("co_cellvars")
        run.first_cell = len(variables)
        for number, name in enumerate(own):
            if name in variables and variables.index(name) in run.locals:
                run.locals[run.first_cell + number] = run.locals[variables.index(name)]
        first = run.first_cell + len(own)
    for number, cell in enumerate(cells):
        if cell is not None:
            run.locals[first + number] = cell


def _named_defaults(decoder: ReprDecoder, at: int) -> dict[str, Item]:
    if not at:
        return {}
    pairs = decoder.objects.dict_items(at)
    return {decoder.string(key): ProcessObject(value) for key, value in pairs}


def _bind_arguments_to_variables(
    run: ObjectEvaluation, arguments: Sequence[Item], keywords: Mapping[str, Item],
    defaults: Sequence[Item], named: Mapping[str, Item],
) -> dict[int, Item]:  # fmt: skip
    """Return the variables of this function when it begins. Raises Undecodable."""
    count = run.code_int_member("co_argcount")
    only_named = run.code_int_member("co_kwonlyargcount")
    several, others = run.has_code_flag("CO_VARARGS"), run.has_code_flag("CO_VARKEYWORDS")
    names = _variable_slot_names(run)[: count + only_named]
    bound: dict[int, Item] = dict(enumerate(arguments[:count]))
    rest = dict(keywords)
    for number, name in enumerate(names):
        if name in rest:
            if number in bound:
                raise CertainException(TypeError)
            bound[number] = rest.pop(name)
        elif number not in bound and count - len(defaults) <= number < count:
            bound[number] = defaults[number - count + len(defaults)]
        elif number not in bound and number >= count and name in named:
            bound[number] = named[name]
    if len(bound) < len(names) or (len(arguments) > count and not several) or (rest and not others):
        raise Undecodable("a function that takes other arguments")
    at = count + only_named
    if several:
        bound[at] = BuiltTuple(tuple(arguments[count:]))
    if others:
        pairs = (BuiltTuple((BuiltStr(name), value)) for name, value in rest.items())
        bound[at + several] = run.memory.make_object("dict", pairs)
    return bound


def _variable_slot_names(run: ObjectEvaluation) -> list[str]:
    modern = run.decoder.layout.offset("PyCodeObject", "co_localsplusnames") is not None
    return run.code_names("co_localsplusnames" if modern else "co_varnames")
