# SPDX-License-Identifier: Apache-2.0
"""What annotations need, without importing `typing`.

Importing typing costs 5 ms of a start that should take 40, and typing.NamedTuple compiles every
annotation into a ForwardRef (0.2 ms a class). Type checkers see typing's own; at run time
annotations are strings and nobody looks at them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any as Any
    from typing import NamedTuple as NamedTuple
    from typing import Protocol as Protocol
else:
    from collections import namedtuple

    Any = object

    class Protocol:
        """Base of structural types; nothing at run time."""

    _OWN = frozenset({"__module__", "__qualname__", "__annotations__", "__dict__", "__weakref__"})

    class _Meta(type):
        """Turn a class body of annotated fields into a collections.namedtuple."""

        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body.get("__annotations__", {})
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            made.__qualname__ = body["__qualname__"]
            for key, value in body.items():
                if key not in _OWN and key not in fields:
                    setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Meta):
        """Base of value types: an immutable tuple with named fields."""


def parse_json(text: str) -> Any:
    """Return the document in a JSON text that is shipped with this package.

    The scanner of the standard library without `json.decoder`, which imports re and enum (7 ms)
    to word its error messages. Other Pythons than CPython have no `_json`.
    """
    try:
        from _json import make_scanner
    except ImportError:
        import json

        return json.loads(text)
    scan: Any = make_scanner
    return scan(_ScannerOptions())(text, 0)[0]


class _ScannerOptions:
    """The defaults of json.JSONDecoder."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float

    def __init__(self) -> None:
        self.memo: dict[str, str] = {}
