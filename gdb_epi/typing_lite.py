# SPDX-License-Identifier: Apache-2.0
"""NamedTuple, Protocol, Any and what else only annotations need, without importing `typing`.

Importing typing costs 5 ms of a start that should take 40, and typing.NamedTuple compiles every
annotation into a ForwardRef (0.2 ms a class). Type checkers see typing's own; at run time
annotations are strings and nobody looks at them. Measured with callgrind, CPython 3.11, compiled
files in place: a cold `stacks` takes 128 million instructions, with typing's NamedTuple 177
(+39 %); a cold `triage` 710 and 895 (+26 %).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser as ArgumentParser
    from argparse import Namespace as Namespace
    from argparse import _ArgumentGroup as _ArgumentGroup
    from typing import IO as IO
    from typing import Any as Any
    from typing import BinaryIO as BinaryIO
    from typing import Generic as Generic
    from typing import NamedTuple as NamedTuple
    from typing import NoReturn as NoReturn
    from typing import Protocol as Protocol
    from typing import TypeGuard as TypeGuard
    from typing import TypeVar as TypeVar
else:
    from _collections import _tuplegetter

    Any = IO = BinaryIO = NoReturn = TypeGuard = object
    TypeVar = str
    ArgumentParser = Namespace = _ArgumentGroup = object

    class Protocol:
        """Base of structural types; nothing at run time."""

    class Generic:
        """Base of generic classes; their parameters are nothing at run time."""

        def __class_getitem__(cls, _parameter):
            return cls

    class _Record(tuple):
        """What collections.namedtuple gives its classes, written once for all of them."""

        __slots__ = ()
        _fields = ()

        @classmethod
        def _make(cls, values):
            record = tuple.__new__(cls, values)
            if len(record) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(record)}")
            return record

        def _replace(self, /, **changes):
            record = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return record

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            fields = zip(self._fields, self, strict=True)
            return f"{type(self).__name__}({', '.join(f'{n}={value!r}' for n, value in fields)})"

        def __getnewargs__(self):
            return tuple(self)

    class _NamedTupleMeta(type):
        """Turn a class body of annotated fields into a tuple with names, as namedtuple does."""

        _makers = {}  # number of fields -> a function that makes a tuple of so many

        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body.pop(field) for field in fields if field in body}
            getters = {field: _tuplegetter(n, None) for n, field in enumerate(fields)}
            own = {"__slots__": (), "_fields": fields, "__match_args__": fields}
            own["_field_defaults"] = defaults
            own["__new__"] = cls._new_method(name, fields, tuple(defaults.values()))
            return type(name, (_Record,), {**body, **getters, **own})

        @classmethod
        def _new_method(cls, name, fields, defaults):
            """Return a class's __new__: compiled once for a number of fields, else only renamed.

            collections.namedtuple compiles it for each class: without that the 159 classes of
            `gdb-epi corruption` take 48 of 68 million instructions less.
            """
            count = len(fields)
            if count not in cls._makers:
                names = "".join(f"_{number}, " for number in range(count))
                code = f"lambda _cls, {names}: new(_cls, ({names}))"
                cls._makers[count] = eval(code, {"new": tuple.__new__})
            made = cls._makers[count]
            code = made.__code__.replace(co_varnames=("_cls", *fields), co_name="__new__")
            function = type(made)(code, made.__globals__, "__new__", defaults)
            function.__qualname__ = f"{name}.__new__"
            return function

    class NamedTuple(metaclass=_NamedTupleMeta):
        """Base of value types: an immutable tuple with named fields."""
