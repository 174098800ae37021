# SPDX-License-Identifier: Apache-2.0
"""A dict that is asked often is read as a whole, and answers as it did entry by entry."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from gdb_epi.cpython.objects.namespaces import ASKED_OFTEN, NamespaceReader
from gdb_epi.errors import UNREADABLE, Absent, UnreadableMemory

KEYS: list[str | None] = ["sys", "naïve", None, "os", "sys", "x" * 200, "late"]


class Strings:
    """What NamespaceReader asks of a reader; a key's address is its number, None no str at all."""

    target = SimpleNamespace()
    layout = None

    def string(self, address: int, _cap: int) -> str | Absent:
        text = KEYS[address]
        return Absent(UNREADABLE, "no str") if text is None else text

    def compact_ascii_bytes(self, address: int, cap: int) -> bytes | None:
        text = KEYS[address]
        return b"damaged" if text is None else text.encode("latin-1") if len(text) <= cap else None

    def compact_ascii_string(self, address: int, _cap: int) -> str | None:
        return "os" if KEYS[address] == "os" else None

    def is_str_object_with_text(self, address: int, text: str) -> bool:
        held = KEYS[address]
        return text == "damaged" if held is None else held == text

    def value_under_string(self, entries: Iterator[tuple[int, int]], text: str) -> int | None:
        return next(
            (value for key, value in entries if self.is_str_object_with_text(key, text)), None
        )


class Dict(NamespaceReader):
    broken = False

    def dict_items(self, address: int) -> Iterator[tuple[int, int]]:
        for number in range(len(KEYS)):
            if self.broken and number == len(KEYS) - 1:
                raise UnreadableMemory(address, 8, "cut off")
            yield number, 100 + number


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("key", ["sys", "naïve", "damaged", "os", "x" * 200, "late", "missing"])
def test_the_answers_stay(key: str, broken: bool) -> None:
    reader: Any = Strings()
    objects = Dict(reader)
    objects.broken = broken
    answers = [objects.dict_get(7, key) for _ in range(2 * ASKED_OFTEN + 2)]
    assert len(set(answers)) == 1
    assert objects._names[7] is not None
