# SPDX-License-Identifier: Apache-2.0
"""A hash of one Python stack, for what is no crash: the holder of a lock, and who waits for it.

One buggy thread that holds a lock while others fork hangs many different waiters: the holder's
stack is then the better thing to group by. The frames are chosen as for the key `python` (SPEC.md
5); the word in front keeps the three apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.signature.drops import load_drop_sets
from gdb_epi.signature.keys import Key, half, make_key
from gdb_epi.signature.names import python_name
from gdb_epi.signature.tokens import PYTHON, Token, join

HOLDER, WAITER = "lock-holder", "lock-waiter"


def python_stack_hash(frames: Sequence[PyFrame], word: str) -> Key | None:
    """Return the key of the innermost interesting frames; None when no frame has a name."""
    drops = load_drop_sets()
    tokens = []
    for frame in frames:
        if frame.hole is None and (frame.qualname or frame.name):
            name = python_name(frame)
            found = drops.python_class(name, frame.filename, frame.name)
            tokens.append(Token(f"py:{name}", PYTHON, True, found))
    content = half(tokens, PYTHON, overflow=False)
    return make_key("python", f"{word} {join(content)}") if content else None
