# SPDX-License-Identifier: Apache-2.0
"""Parse plain command lines without argparse, which costs 10 % of a cold `gdb-epi stacks`.

CPython 3.11.7: 128.1 million instructions (callgrind) without argparse, 141.0 with it; 35.5 and
39.3 ms of CPU time.

QuickParser takes the declarations that a verb makes for argparse. It answers only when the words
are beyond doubt; for anything else (help, a mistake, an unusual form) it returns None and the
caller asks argparse, which alone speaks to the user. A test holds the two against each other.
"""

from __future__ import annotations

from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

# Keywords of add_argument() that are understood here; with any other one argparse must do it.
_KNOWN = frozenset({"action", "choices", "default", "help", "metavar", "nargs", "type"})


class ParsedArguments:
    """The values of the arguments as attributes, like argparse.Namespace."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)


class QuickParser:
    """Understands flags, options with one value, and one positional word or list of words."""

    def __init__(self) -> None:
        self._options: dict[str, dict[str, Any]] = {}
        self._positional: dict[str, Any] | None = None
        self._groups: list[QuickParser] = []
        self._members: set[str] = set()
        self._odd = False

    def add_argument(self, *flags: str, **words: Any) -> None:
        """Declare an argument; the words are argparse's."""
        words = {**words, "dest": flags[-1].lstrip("-").replace("-", "_")}
        action = words.get("action")
        self._odd |= not _KNOWN | {"dest"} >= words.keys()
        self._odd |= action not in (None, "store_true", "append")
        self._odd |= action == "append" and words.get("default") is not None
        if flags[0].startswith("-"):
            self._odd |= "nargs" in words or not flags[0].startswith("--")
            self._members.add(words["dest"])
            self._options.update(dict.fromkeys(flags, words))
        else:
            self._odd |= self._positional is not None or words.get("nargs") not in (None, "+", "*")
            self._positional = words

    def add_argument_group(self, title: str) -> QuickParser:
        """Declare a group that stands together in the help: nothing to know here."""
        return self

    def add_mutually_exclusive_group(self) -> QuickParser:
        """Declare a group of which only one may be given."""
        group = QuickParser()
        group._options = self._options
        self._groups.append(group)
        return group

    def parse(self, words: Sequence[str]) -> ParsedArguments | None:
        """Return the values, or None when argparse must look at the words."""
        if self._odd or any(group._odd for group in self._groups):
            return None
        values = {o["dest"]: self._default_of_option(o) for o in self._options.values()}
        given: set[str] = set()
        plain: list[str] = []
        rest = iter(words)
        for word in rest:
            if not word.startswith("-"):
                plain.append(word)
                continue
            option = self._options.get(word)
            if option is None or option["dest"] in given:
                return None
            given.add(option["dest"])
            if option.get("action") == "store_true":
                values[option["dest"]] = True
                continue
            value = next(rest, "-")
            if value.startswith("-") or not _convert_value(option, value, values):
                return None
            if option.get("action") == "append":  # given once: argparse has the others
                values[option["dest"]] = [values[option["dest"]]]
        if any(len(group._members & given) > 1 for group in self._groups):
            return None
        if self._positional is None:
            return None if plain else ParsedArguments(values)
        # Words on both sides of an option are an error for argparse, but not for "*" after it.
        together = not plain or list(words[words.index(plain[0]) :][: len(plain)]) == plain
        choices = self._positional.get("choices")
        if not plain or not together or (choices and not {*plain} <= {*choices}):
            return None
        if "nargs" in self._positional:
            return ParsedArguments({**values, self._positional["dest"]: plain})
        return (
            ParsedArguments({**values, self._positional["dest"]: plain[0]})
            if len(plain) == 1
            else None
        )

    @staticmethod
    def _default_of_option(option: dict[str, Any]) -> Any:
        return option.get("default", False if option.get("action") == "store_true" else None)


def _convert_value(option: dict[str, Any], value: str, values: dict[str, Any]) -> bool:
    """Convert and check one value; False sends the whole line to argparse for its message."""
    if "choices" in option and value not in option["choices"]:
        return False
    if "type" in option:
        try:
            values[option["dest"]] = option["type"](value)
        except Exception:  # noqa: BLE001 - boundary: argparse repeats it and explains
            return False
        return True
    values[option["dest"]] = value
    return True
