# SPDX-License-Identifier: Apache-2.0
"""What json.loads() makes of a text of the core: this Python's module reads it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.value_stack import BuiltTuple, CertainException, Item, ProcessObject
from gdb_epi.hangs.dry_run.block_instructions import BlockInstructions
from gdb_epi.hangs.dry_run.container_evaluation import MAX_ITEMS

MAX_DEPTH = 20
CHARACTERS_PER_STEP = 20


def parse_json(run: BlockInstructions, called: ProcessObject, arguments: Sequence[Item]) -> Item:
    """Return what json.loads() gives of one text. Raises Undecodable, Raised."""
    text = run.to_python(arguments[0]) if len(arguments) == 1 else None
    if not isinstance(text, (str, bytes)):
        raise Undecodable("a call")
    run.budget[0] -= len(text) // CHARACTERS_PER_STEP
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        scope = run.decoder.field(called.address, "PyFunctionObject", "func_globals")
        kind = run.decoder.objects.dict_get(scope, "JSONDecodeError")
        error = (
            run.stand_in_exception_class(run.decoder.types.type_at(kind))
            if isinstance(kind, int)
            else None
        )
        raise (
            Undecodable("an error of a module") if error is None else CertainException(error)
        ) from None
    except (ValueError, RecursionError):
        raise Undecodable("a text that this Python does not read") from None
    return _item_of_json_value(run, value)


def _item_of_json_value(run: BlockInstructions, value: object, depth: int = 0) -> Item:
    """Return a value as the process has it. Raises Undecodable."""
    if not isinstance(value, (dict, list)):
        return run.item_of_python_value(value)
    if len(value) > MAX_ITEMS or depth > MAX_DEPTH:
        raise Undecodable("too many items")
    if isinstance(value, list):
        return run.memory.make_object(
            "list", [_item_of_json_value(run, each, depth + 1) for each in value]
        )
    pairs = [
        BuiltTuple((run.item_of_python_value(key), _item_of_json_value(run, each, depth + 1)))
        for key, each in value.items()
    ]
    return run.memory.make_object("dict", pairs)
