# SPDX-License-Identifier: Apache-2.0
"""Which values of a process are secrets, so that they are masked under other names too.

A variable, attribute or key whose name says so makes its value one. The same object is masked
wherever it is shown, and so is its text within others. Not what says nothing, and stands for much
else: short texts, plain words of which all equal ones are one object, and for the text alone plain
words.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.values.secrets import MASK, is_secret_name
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory

MAX_KEPT = 10_000  # secrets of one process
MIN_OBJECT, MIN_TEXT, LONG_WORD = 4, 6, 16  # characters
MAX_SECRET = 4096
DIGIT, DIGITS = "[0-9a-fA-F]", frozenset("0123456789abcdefABCDEF")
CONTAINERS = frozenset(("tuple", "list", "dict", "set", "frozenset", "bytearray"))


class MaskedValues:
    """The secrets of one process at one stop, as far as names have told them."""

    def __init__(self) -> None:
        self.objects: set[int] = set()
        self.asked_frames = False
        self._texts: set[str] = set()  # of secrets, and how repr() shows those

    def note_named(self, reader: MemoryReader, names: Iterable[tuple[str, int]]) -> None:
        """Keep the texts among some variables whose names say that they are secrets."""
        for name, address in names:
            if is_secret_name(name):
                try:
                    self.note(reader, address)
                except (UnreadableMemory, LayoutError):
                    continue

    def note(self, reader: MemoryReader, address: int, ident: str = "") -> None:
        """Keep a secret: an object of a built-in type; `ident` names it unless it is a text."""
        if len(self.objects) >= MAX_KEPT:
            return
        if ident in CONTAINERS:
            self.objects.add(address)
            return
        kind = ident or reader.type_name(reader.type_of(address))
        text: str | Absent = Absent("", "")
        if kind == "str":
            text = reader.string(address, MAX_SECRET)
        elif kind == "bytes":
            held = reader.bytes_object(address, MAX_SECRET)
            text = held if isinstance(held, Absent) else held.decode("latin-1")
        if isinstance(text, Absent) or len(text) < MIN_OBJECT:
            return
        is_word = text.isalpha() and (text.islower() or text.istitle()) and len(text) < LONG_WORD
        if is_word and kind == "str" and reader.is_interned(address):
            return  # as "none": a variable with that object has no more to do with the secret
        self.objects.add(address)
        # As "access_token" or "X-Auth-Token"; but "Secret123!" is a password.
        is_name = text.replace("-", "").replace("_", "").isalpha() and is_secret_name(text)
        if len(text) >= MIN_TEXT and not is_word and not is_name:
            self._texts |= {text, repr(text)[1:-1]}

    def hide(self, text: str) -> str:
        """Return a text with `***` in place of the secrets in it.

        Not of digits within a longer number, which may be an address.
        """
        within = [secret for secret in self._texts if secret in text]
        for secret in sorted(within, key=lambda secret: (-len(secret), secret)):
            if len(secret) < LONG_WORD and DIGITS.issuperset(secret):
                import re

                text = re.sub(f"(?<!{DIGIT}){secret}(?!{DIGIT})", MASK, text)
            else:
                text = text.replace(secret, MASK)
        return text
