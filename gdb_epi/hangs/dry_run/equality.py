# SPDX-License-Identifier: Apache-2.0
"""How objects of the program's classes compare in a dry run (dry_run.py)."""

from __future__ import annotations

from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.repr_decoder import ReprDecoder
from gdb_epi.cpython.values.value_stack import special_method

_COMPARE = ("__eq__", "__hash__")
# Types of C that leave comparing to `object`.
_BY_IDENTITY = frozenset(
    ("type", "lock", "_thread.lock", "RLock", "_thread.RLock", "function", "module")
)


def equals_only_itself(decoder: ReprDecoder, address: int) -> bool:
    """Tell whether an object equals no other. Raises Undecodable where that is not known."""
    obj = decoder.obj(address)
    if obj.lineage.ident:
        return obj.lineage.ident in _BY_IDENTITY
    return special_method(decoder, obj.type, "__eq__") is None


def compares_as_tuple(decoder: ReprDecoder, address: int) -> bool:
    """Tell whether an object of a class derived from tuple compares as tuples do."""
    obj = decoder.obj(address)
    if obj.lineage.ident != "tuple" or obj.is_exact:
        return False
    own = (base for base in decoder.types.mro(obj.type) if base.is_python_class and base.dict)
    return not any(
        isinstance(decoder.objects.dict_get(base.dict, name), int)
        for base in own for name in _COMPARE
    )  # fmt: skip


_OF_TUPLES = (
    *_COMPARE, "__init__", "__iter__", "__getitem__", "__len__", "__contains__", "__bool__",
)  # fmt: skip


def is_plain_tuple_class(decoder: ReprDecoder, info: TypeInfo) -> bool:
    """Tell whether a class is derived from tuple, as namedtuples are, and behaves as it does."""
    mro = decoder.types.mro(info)
    own = [base for base in mro if base.is_python_class and base.dict]
    return any(base.full_name == "tuple" for base in mro) and not any(
        isinstance(decoder.objects.dict_get(base.dict, name), int)
        for base in own for name in _OF_TUPLES
    )  # fmt: skip
