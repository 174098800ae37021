# SPDX-License-Identifier: Apache-2.0
"""Text where a locale has no Unicode: the lines of trees in ASCII, other characters as escapes."""

from __future__ import annotations

import codecs

ERRORS = "gdb-epi"  # the name of the handler below, for str.encode() and streams
UTF_8 = "utf-8"
# What trees are drawn with. All else may be part of a value, which must not become another one.
_PLAIN = {"─": "-", "│": "|", "├": "|", "└": "`"}


def in_charset(text: str, charset: str) -> str:
    """Return a text with nothing in it that a character set lacks; an unknown set is ASCII."""
    if text.isascii():
        return text
    try:
        return text.encode(charset, ERRORS).decode(charset)
    except LookupError:
        return text.encode("ascii", ERRORS).decode("ascii")


def _replacement(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    plain = [_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lacking]
    return "".join(plain), error.end


codecs.register_error(ERRORS, _replacement)


def locale_charset() -> str:
    """Return the character set of the locale that this process was started in.

    Python's own answer is UTF-8 where LC_ALL is C (PEP 540); there the terminal knows better. It
    has a locale C.UTF-8 by itself where none is set at all (PEP 538), and that is heeded.
    """
    import _locale

    try:
        return str(_locale.nl_langinfo(_locale.CODESET)) or "ascii"
    except (AttributeError, ValueError):
        return UTF_8
