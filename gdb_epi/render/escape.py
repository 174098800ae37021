# SPDX-License-Identifier: Apache-2.0
"""Text that cannot steer a terminal; everything that may come from a core goes through here."""

from __future__ import annotations

# Line and paragraph separators, bidirectional controls (they can reorder what a terminal shows),
# byte order marks. C0 and C1 controls, DEL and lone surrogates (not UTF-8) are ranges below.
_UNPRINTABLE = frozenset(
    "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)


def escape(s: str) -> str:
    """Return text that cannot steer a terminal: controls as \\xNN or \\uNNNN, the rest as is."""
    # No `re`: importing it costs 6 ms, and nearly all text is printable.
    return s if s.isprintable() else "".join(map(_escaped, s))


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x20 or 0x7F <= code < 0xA0:
        return f"\\x{code:02x}"
    if character in _UNPRINTABLE or 0xD800 <= code < 0xE000:
        return f"\\u{code:04x}"
    return character


def one_line(text: str) -> str:
    """Return a value without its line breaks: arrays of numpy and pyarrow are of many lines."""
    if "\n" not in text:
        return text
    parts = [part.strip() for part in text.split("\n")]
    joined = " ".join(part for part in parts if part)
    return joined.replace("[ ", "[").replace(" ]", "]")
