# SPDX-License-Identifier: Apache-2.0
"""Text that is safe for a terminal, fits its width, and uses only characters that it can show.

Everything that may come from a core goes through `escape`. Where a locale has no Unicode, the lines
of trees become ASCII and other characters escapes (replace_missing_characters).
"""

from __future__ import annotations

import codecs

from gdb_epi.lazy_pattern import LazyPattern

ERRORS = "gdb-epi"  # the name of the handler below, for str.encode() and streams
UTF_8 = "utf-8"
WIDTH = 100  # columns of a screen
MIN_WIDTH = 40  # columns of lines, even if the terminal has fewer
COLUMNS_OF_SHELL = "GDB_EPI_COLUMNS"  # the variable that tells a GDB whose output is a file
HANGING = "    "  # before what is left of a folded line
# A command to paste: in backticks, with its database, or at the end of a line.
_COMMAND = (
    r"`gdb-epi [^`]*`|gdb-epi(?: [^ ;,]+)*? --db (?:'[^']*'|[^ ;,]+)|gdb-epi(?: [^ ;,]+){1,4}$"
)
# A number stays with its unit, and with the word before it: descriptor 4, bit 41.
_OF_NUMBER = LazyPattern(r"(?<=\d) (?=(?:bytes|[kMG]i?B|s)\b)|(?<=[a-z]) (?=\d{1,7}\b)")
_SIGN_OF_FORK = LazyPattern(r"F\d+\b")  # locks/fork/signs.py
_GLUE = "\ue000"  # instead of a blank in a command or beside a number, which are not folded
# The characters of trees. All others may be part of a value, which must not become another one.
_PLAIN = {"─": "-", "│": "|", "├": "|", "└": "`"}

# Line and paragraph separators, bidirectional controls (they can reorder what a terminal shows),
# byte order marks. C0 and C1 controls, DEL and lone surrogates (not UTF-8) are ranges below.
_UNPRINTABLE = frozenset(
    "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)


def escape(s: str) -> str:
    """Return text that cannot steer a terminal: controls as \\xNN or \\uNNNN, the rest as is."""
    # No `re`: importing it costs 6 ms, and nearly all text is printable.
    return s if s.isprintable() else "".join(map(_escape_character, s))


def _escape_character(character: str) -> str:
    code = ord(character)
    if code < 0x20 or 0x7F <= code < 0xA0:
        return f"\\x{code:02x}"
    if character in _UNPRINTABLE or 0xD800 <= code < 0xE000:
        return f"\\u{code:04x}"
    return character


def one_line(text: str) -> str:
    """Return a value on one line: the repr of numpy and pyarrow arrays has many."""
    if "\n" not in text:
        return text
    parts = [part.strip() for part in text.split("\n")]
    joined = " ".join(part for part in parts if part)
    return joined.replace("[ ", "[").replace(" ]", "]")


def replace_missing_characters(text: str, charset: str) -> str:
    """Return a text without characters that a character set lacks; an unknown set is ASCII."""
    if text.isascii():
        return text
    try:
        return text.encode(charset, ERRORS).decode(charset)
    except LookupError:
        return text.encode("ascii", ERRORS).decode("ascii")


def _replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    plain = [_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lacking]
    return "".join(plain), error.end


codecs.register_error(ERRORS, _replace_unencodable)


def locale_charset() -> str:
    """Return the character set of the locale that this process was started in.

    Python itself says UTF-8 where LC_ALL is C (PEP 540), although the terminal may not know UTF-8.
    Where no locale is set at all, Python chooses C.UTF-8 (PEP 538), and that is used.
    """
    import _locale

    try:
        return str(_locale.nl_langinfo(_locale.CODESET)) or "ascii"
    except (AttributeError, ValueError):
        return UTF_8


def terminal_width() -> int | None:
    """Return the columns by $COLUMNS, else those of the terminal; None without a terminal.

    A file or a pipe gets whole lines: programs that read it look for words in one line.
    """
    import os
    import sys

    setting = os.environ.get("COLUMNS", "")
    try:
        columns = int(setting) if setting else os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return None
    return max(columns, MIN_WIDTH) if columns > 0 else None


def screen_width() -> int:
    """Return how many columns an answer takes: WIDTH, or those of a narrower terminal."""
    return min(WIDTH, table_width() or WIDTH)


def table_width() -> int | None:
    """Return the columns of a table: those of the terminal; None for a file or a pipe.

    There every row is one line, for programs such as grep. $COLUMNS is not used: GDB sets it even
    without a terminal; a GDB that the shell command runs is told of the terminal of that.
    """
    import os

    shell = os.environ.get(COLUMNS_OF_SHELL, "")
    try:
        columns = int(shell) if shell.isdecimal() else os.get_terminal_size(1).columns
    except OSError:
        return None
    return max(columns, MIN_WIDTH) if columns else None


def wrap_text(text: str, head: str = "", most: int | None = None) -> list[str]:
    """Return a sentence as at most `most` lines of the screen's width, `head` before the first.

    Text to be pasted (paths, commands) is never broken. Three dots mark lines that are cut off, if
    possible after a clause. Addresses lose their leading zeros.
    """
    width = screen_width()
    most = most and -(-most * WIDTH // width)  # a narrow screen has more lines
    text = whole = unpad_addresses(escape(text))
    lines = _wrap_lines(text, head)
    while most is not None and (len(lines) > most or lines[-1:] == [f"{' ' * len(head)}..."]):
        text = text.rpartition("; ")[0]
        lines = _wrap_lines(f"{text}; ...", head)
        # The clause is so long that its beginning is worth a line.
        if len(lines) < most or not text:
            return _wrap_lines(whole, head, most)
    return lines


def fold_line(
    line: str, width: int | None, *, most: int | None = None, breaks_words: bool = False
) -> list[str]:
    """Return a line as several, with a hanging indent; three dots end the last of `most`.

    No command is broken, and a word only if `breaks_words`: paths are copied from a screen.
    """
    if width is None or len(line) <= width:
        return [line]
    import re
    from textwrap import wrap

    indent = line[: len(line) - len(line.lstrip(" "))]
    whole = re.sub(_COMMAND, lambda found: found[0].replace(" ", _GLUE), line)
    whole = _OF_NUMBER.sub(_GLUE, whole)
    lines = wrap(
        whole, width, subsequent_indent=indent + HANGING, break_long_words=breaks_words,
        break_on_hyphens=False, max_lines=most, placeholder=" ...",
    )  # fmt: skip
    return [part.replace(_GLUE, " ") for part in lines]


def _wrap_lines(text: str, head: str, most: int | None = None) -> list[str]:
    from textwrap import wrap

    lines = wrap(
        _OF_NUMBER.sub(_GLUE, text),
        screen_width(),
        initial_indent=head,
        subsequent_indent=" " * len(head),
        max_lines=most,
        placeholder=" ...",
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(_GLUE, " ") for line in lines]


def soft_error_words(subject: object, message: object) -> str:
    """Return what could not be read and why; the interpreter's state is called CPython."""
    if subject == "runtime":
        named = str(message).startswith(("CPython", "no CPython"))
        return str(message) if named else f"CPython: {message}"
    if _SIGN_OF_FORK.match(str(subject)):
        return "what fork() left behind is known in part: see epi fork --evidence"
    about = str(subject).replace("interpreter -1", "unknown interpreter")  # its number is lost
    return f"{about}: {message}"


_HEX = frozenset("0123456789abcdefABCDEF")
_DIGITS = 16  # of a word in a record


def unpad_addresses(text: str) -> str:
    """Return a text with 0x7f12 for each 0x0000000000007f12."""
    if "0x0" not in text:
        return text
    first, *others = text.split("0x")
    for part in others:
        digits, rest = part[:_DIGITS], part[_DIGITS:]
        if len(digits) == _DIGITS and _HEX.issuperset(digits) and rest[:1] not in _HEX:
            part = (digits.lstrip("0") or "0") + rest
        first += f"0x{part}"
    return first
