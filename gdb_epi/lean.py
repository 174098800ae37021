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
