# SPDX-License-Identifier: Apache-2.0
"""Values of a process: any PyObject as the text that repr() would have given.

The decoders are in values_*.py; importing this module registers them.
"""

from __future__ import annotations

from gdb_epi.cpython.objects.attributes import Objects
from gdb_epi.cpython.objects.type_objects import Types
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values import asyncio as values_asyncio
from gdb_epi.cpython.values import c_modules as values_stdlib
from gdb_epi.cpython.values import containers as values_containers
from gdb_epi.cpython.values import enum as values_enum
from gdb_epi.cpython.values import io as values_io
from gdb_epi.cpython.values import library_classes as values_library
from gdb_epi.cpython.values import machinery as values_machinery
from gdb_epi.cpython.values import numpy as values_numpy
from gdb_epi.cpython.values import numpy as values_numpy_scalars
from gdb_epi.cpython.values import objects as values_objects
from gdb_epi.cpython.values import python_classes as values_python
from gdb_epi.cpython.values import scalars as values_scalars
from gdb_epi.cpython.values import shared_memory as values_shared
from gdb_epi.cpython.values import threads as values_threads
from gdb_epi.cpython.values import torch as values_torch
from gdb_epi.cpython.values import typing as values_typing
from gdb_epi.cpython.values.attributes import attributes
from gdb_epi.cpython.values.repr_decoder import (
    MAX_ATTRIBUTES,
    Limits,
    ReprDecoder,
    Undecodable,
    Value,
    ValueContext,
)
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.target.api import Target

__all__ = ["Limits", "Value", "Values", "values_of"]

# Importing them registers their decoders.
_DECODERS = (
    values_asyncio,
    values_containers,
    values_enum,
    values_io,
    values_library,
    values_machinery,
    values_numpy,
    values_numpy_scalars,
    values_objects,
    values_python,
    values_scalars,
    values_shared,
    values_stdlib,
    values_threads,
    values_torch,
    values_typing,
)
MAX_REMEMBERED = 200_000
# Attributes of an instance are shown beside it, each no longer than this.
ATTRIBUTE_LIMITS = Limits(depth=2, width=20, length=200, total=1000)


class Values:
    """The objects of one process as text; each is decoded once."""

    def __init__(
        self,
        target: Target,
        reader: Reader,
        interpreters: tuple[int, ...] = (),
        limits: Limits | None = None,
    ) -> None:
        objects = Objects(reader)
        types = Types(reader, objects, interpreters)
        self.context = ValueContext(target, reader, objects, types)
        self.limits = (limits or Limits()).bounded()
        self._known: dict[int, Value] = {}
        self._small: dict[int, str] = {}
        self._small_limits = _smaller(self.limits, ATTRIBUTE_LIMITS)

    def of(self, address: int) -> Value:
        """Return an object as text. Never raises; what cannot be decoded is marked."""
        found = self._known.get(address)
        if found is None:
            found = self._decode(address)
            if len(self._known) < MAX_REMEMBERED:
                self._known[address] = found
        return found

    def _decode(self, address: int) -> Value:
        decoder = self.decoder()
        text = decoder.show(address)
        try:
            kind = decoder.obj(address).type.shown
        except (UnreadableMemory, LayoutError, Undecodable):
            kind = ""
        cut, exact = decoder.cut, decoder.exact
        shown = self.attributes(address) if decoder.bare else ()
        shown = (*decoder.notes, *shown)
        return Value(kind, text, cut, exact, shown)

    def decoder(self, limits: Limits | None = None) -> ReprDecoder:
        """Return a decoder for one value."""
        return ReprDecoder(self.context, limits or self.limits)

    def attributes(self, address: int) -> tuple[tuple[str, str], ...]:
        """Return the attributes of an instance, each as (name, text). Never raises."""
        found: list[tuple[str, str]] = []
        decoder = self.decoder()
        try:
            for name, value in attributes(decoder, address):
                if len(found) >= min(MAX_ATTRIBUTES, self.limits.width):
                    found.append(("...", "..."))
                    break
                found.append((name, self._attribute(value)))
        except (UnreadableMemory, LayoutError, Undecodable) as error:
            found.append(("...", f"<cannot decode the attributes: {error}>"))
        return tuple(found)

    def _attribute(self, address: int) -> str:
        text = self._small.get(address)
        if text is None:
            text = self.decoder(self._small_limits).show(address)
            if len(self._small) < MAX_REMEMBERED:
                self._small[address] = text
        return text


def _smaller(one: Limits, other: Limits) -> Limits:
    return Limits(*(min(a, b) for a, b in zip(one, other, strict=True)))


def values_of(target: Target, python: PythonState, limits: Limits | None = None) -> Values:
    """Return the values of a decoded process."""
    addresses = tuple(interpreter.address for interpreter in python.interpreters)
    return Values(target, Reader(target, python.layout), addresses, limits)
