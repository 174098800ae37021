# SPDX-License-Identifier: Apache-2.0
"""Small tools that every layer may use: nouns, names, words of a shell, versions, SHA-256, tables.

SHA-256 comes without OpenSSL: `import hashlib` loads libcrypto, 6 ms of a cold start.
"""

from __future__ import annotations

import os
from functools import cache, wraps

from gdb_epi.errors import EpiError
from gdb_epi.json_lite import parse_shipped_json
from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    _Method = TypeVar("_Method", bound=Callable[..., Any])

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")
MAX_VERSION = 64  # characters
_VERSION_EXTRA = frozenset(".+!-_~")


def add_article(noun: str) -> str:
    """Return "a str", "an object": the noun with its article, by its first letter."""
    return f"an {noun}" if noun[:1] in tuple("aeiouAEIO") else f"a {noun}"


def quoted_name(name: object) -> str:
    """Return a thread's or task's name for a sentence, "" for none: in quotes if of many words."""
    text = str(name or "")
    return f'"{text}"' if len(text.split()) > 1 else text


def split_outside_quotes(text: str, separator: str) -> list[str]:
    """Split a sentence at a separator, but not inside of what quoted_name() put into quotes."""
    quoted = text.split('"')
    if len(quoted) % 2 == 0:  # a name with a quote of its own
        return text.split(separator)
    parts = [""]
    for number, piece in enumerate(quoted):
        first, *rest = [f'"{piece}"'] if number % 2 else piece.split(separator)
        parts[-1] += first
        parts += rest
    return parts


def parse_json_object(text: str | bytes) -> dict[str, Any] | None:
    """Return the object of a JSON text that somebody else wrote; None for anything else."""
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def plain_path(path: str) -> str:
    """Return a path without "/./" and "/../": `__file__` of a script keeps how it was typed."""
    return os.path.normpath(path) if "/." in path else path


def counted(number: object, noun: str) -> str:
    """Return "1 thread", "2 threads", "2 crashes", "2 entries": the noun is given for one."""
    if str(number) == "1":
        return f"{number} {noun}"
    if noun.endswith(("s", "sh", "ch", "x")):
        return f"{number} {noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}s"


def duration_words(seconds: float) -> str:
    """Return "0.25 s", or "10,000 s (2.8 h)" where seconds alone say little."""
    if seconds < 100:
        return f"{seconds:.4g} s"
    longer = (
        f" ({seconds / 86400:.3g} days)" if seconds >= 2 * 86400 else f" ({seconds / 3600:.2g} h)"
    )
    return f"{seconds:,.0f} s{longer if seconds >= 3600 else ''}"


def shortened_list(names: Sequence[str], most: int) -> str:
    """Return "a, b and 3 more": the first `most` names, and how many others there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def natural_sort_key(name: str) -> list[tuple[int, int, str]]:
    """Return a key for sorting by which h2 comes before h10."""
    key, digits, text = [], "", ""
    for letter in f"{name}\0":
        if letter.isascii() and letter.isdecimal():
            digits += letter
            continue
        if digits:
            key += [(1, 0, text), (0, int(digits), digits)]
            digits = text = ""
        text += letter
    return [*key, (1, 0, text)]


def names_by_reason(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return reason -> names, for pairs of a name and its reason."""
    names: dict[str, list[str]] = {}
    for name, reason in pairs:
        names.setdefault(reason, []).append(name)
    return names


def extension_path() -> str:
    """Return what `gdb -x` loads this extension from, as a word for a shell."""
    return shell_word(os.path.join(os.path.dirname(os.path.abspath(__file__)), "gdb_epi"))


def shell_word(text: str) -> str:
    """Return a text as one word of a shell, quoted where it must be (shlex would import `re`)."""
    if text and _PLAIN.issuperset(text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"


def version_or_none(text: str | None) -> str | None:
    """Return a text that looks like a version; None for all others, which may be anything."""
    if not text or len(text) > MAX_VERSION or not any(map(str.isdigit, text)):
        return None
    good = all((char.isascii() and char.isalnum()) or char in _VERSION_EXTRA for char in text)
    return text if good else None


if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # CPython 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256  # up to 3.11
        except ImportError:
            from hashlib import sha256


def sha256_hex(content: bytes) -> str:
    """Return the SHA-256 as 64 hex digits."""
    return sha256(content).hexdigest()


@cache
def shipped_json(module: str, name: str) -> Any:
    """Return the document in a JSON file that lies beside a module (`__file__`); read once."""
    # os.path, not pathlib: importing that costs more than reading most of the files.
    with open(os.path.join(os.path.dirname(module), name), encoding="utf-8") as file:
        return parse_shipped_json(file.read())


def pick_attributes(value: object, *names: str) -> dict[str, Any]:
    """Return attributes of an object by their names, in this order: fields of a JSON object."""
    return {name: getattr(value, name) for name in names}


def default_when_unreadable(value: object) -> Callable[[_Method], _Method]:
    """Decorate a function that returns a value where it cannot read what it needs.

    That is memory that is not in the core, a field that this Python has not, a table that is short.
    """

    def decorate(function: _Method) -> _Method:
        @wraps(function)
        def call_or_default(*arguments: Any, **named: Any) -> Any:
            try:
                return function(*arguments, **named)
            except (EpiError, IndexError):
                return value

        return call_or_default  # type: ignore[return-value]  # called as the function is

    return decorate


def memoized(method: _Method) -> _Method:
    """Decorate a method of hashable positional arguments whose results its object keeps.

    functools.cache() would keep the results of all objects, and the objects. What a bound method
    kept in its own object would be a circle, which only the garbage collector ends: files that are
    mapped would stay.
    """
    name = f"results of {method.__name__}"
    if method.__code__.co_argcount == 2 and not method.__defaults__:  # its object and one more

        @wraps(method)
        def call_with_one_argument(self: Any, argument: Any) -> Any:
            results = self.__dict__.get(name)
            if results is None:
                results = self.__dict__[name] = {}
            if argument not in results:
                results[argument] = method(self, argument)
            return results[argument]

        return call_with_one_argument  # type: ignore[return-value]  # called as the method is

    @wraps(method)
    def call_with_arguments(self: Any, *arguments: Any) -> Any:
        results = self.__dict__.setdefault(name, {})
        if arguments not in results:
            results[arguments] = method(self, *arguments)
        return results[arguments]

    return call_with_arguments  # type: ignore[return-value]  # called as the method is
