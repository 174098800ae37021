# SPDX-License-Identifier: Apache-2.0
"""What a dry run (dry_run.py) calls of functions that modules in C have, as they do it."""

from __future__ import annotations

import bisect
import math
import posixpath
import struct
from collections.abc import Mapping, Sequence

from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.str_formatting import Plain
from gdb_epi.cpython.values.value_stack import (
    CertainException,
    Item,
    NoneResult,
    NumberWithinBounds,
    ProcessObject,
)
from gdb_epi.hangs.dry_run.builtin_calls import (
    BUILTINS,
    apply_number_function,
    call_builtin,
    call_method,
    is_supported_method,
    sort_keys,
)
from gdb_epi.hangs.dry_run.container_evaluation import ERRORS
from gdb_epi.hangs.dry_run.instances import make_tuple_instance
from gdb_epi.hangs.dry_run.object_evaluation import ObjectEvaluation
from gdb_epi.locks.python.call_sites import CLOCKS

_OF_HEAPS = frozenset(("heappush", "heappop", "heapify", "heapreplace", "heappushpop"))
# These count from the start of the machine (clock_gettime(2)), others from 1970. So what compares
# them with the time of day never comes out otherwise.
_SINCE_BOOT = ("monotonic", "perf_counter")
MAX_UPTIME = 10 * 365 * 86_400.0  # of a machine, in seconds
_UNPACKS = ("unpack", "unpack_from", "pack", "calcsize")
_SEARCHES = ("bisect_left", "bisect_right")
_OF_MATH = frozenset(
    "ceil floor trunc sqrt gcd fabs fmod hypot isclose isqrt log log2 log10 sin cos tan exp "
    "degrees radians copysign isfinite isinf isnan".split()
)


class _HeapItem:
    """An item in a heap, by what it is compared by."""

    def __init__(self, key: Plain, item: Item) -> None:
        self.key, self.item = key, item

    def __lt__(self, other: _HeapItem) -> bool:
        return bool(self.key < other.key)  # type: ignore[operator]  # TypeError: as there


def _call_heapq_function(run: ObjectEvaluation, name: str, arguments: Sequence[Item]) -> Item:
    """Return what a function of `heapq` gives. Raises Undecodable, Raised."""
    import heapq

    of, *others = arguments
    if not isinstance(of, ProcessObject) or run.type_name(of) != "list":
        raise Undecodable("a heap of another kind")
    run.refuse_possibly_done_change_of(of)
    keyed, given = (
        list(map(_HeapItem, sort_keys(run, each, None), each)) for each in (run.members(of), others)
    )
    try:
        taken: _HeapItem | None = getattr(heapq, name)(keyed, *given)
    except ERRORS as error:
        raise CertainException(type(error)) from None
    run.replace_items(of, [each.item for each in keyed])
    return NoneResult() if taken is None else taken.item


def call_native(
    run: ObjectEvaluation,
    called: ProcessObject,
    arguments: Sequence[Item],
    keywords: Mapping[str, Item],
) -> Item:
    """Return what a method of an object, or a function of a module, gives."""
    of = ProcessObject(run.decoder.field(called.address, "PyCFunctionObject", "m_self"))
    text = run.decoder.repr_of(called.address)
    name = text.removeprefix("<built-in method ").partition(" of ")[0]
    if name != text and is_supported_method(run, of, name):
        return call_method(run, of, name, arguments, keywords)
    if name == "__new__" and not keywords and _is_builtin_tuple_type(run, of):
        return make_tuple_instance(run, *arguments)
    name = text.removeprefix("<built-in function ").rstrip(">")
    if name in BUILTINS and _is_module(run, of, "builtins"):  # under another name
        return call_builtin(run, name, list(arguments), keywords)
    if name == "sleep" and _is_module(run, of, "time"):
        run.memory.pauses = True
        return NoneResult()
    if name in CLOCKS and not name.endswith("_ns") and _is_module(run, of, "time"):
        return NumberWithinBounds(0.0, MAX_UPTIME if name in _SINCE_BOOT else math.inf)
    if name == "fspath" and run.type_name(arguments[0]) == "str" and _is_module(run, of, "posix"):
        return arguments[0]
    if name == "_path_normpath" and not keywords and _is_module(run, of, "posix"):
        return run.apply_host_function(posixpath.normpath, *map(run.to_python, arguments))
    if name in _OF_HEAPS and not keywords and _is_module(run, of, "_heapq"):
        return _call_heapq_function(run, name, arguments)
    if name in _SEARCHES and not keywords and _is_module(run, of, "_bisect"):
        return run.apply_host_function(getattr(bisect, name), *map(run.to_python, arguments))
    if name in _UNPACKS and not keywords and _is_module(run, of, "_struct"):
        try:
            return run.apply_host_function(getattr(struct, name), *map(run.to_python, arguments))
        except struct.error:
            raise Undecodable("an error of a module") from None
    if name in _OF_MATH and not keywords and _is_module(run, of, "math"):
        return apply_number_function(run, name, getattr(math, name), arguments)
    raise Undecodable("a call")


def _is_module(run: ObjectEvaluation, of: ProcessObject, name: str) -> bool:
    if not of.address or run.decoder.ident(of.address) != "module":
        return False
    return run.decoder.repr_of(of.address).startswith(f"<module '{name}'")


def _is_builtin_tuple_type(run: ObjectEvaluation, of: ProcessObject) -> bool:
    if not of.address or run.decoder.ident(of.address) != "type":
        return False
    return run.decoder.types.type_at(of.address).full_name == "tuple"
