# SPDX-License-Identifier: Apache-2.0
"""Every verb of `gdb-epi` with its options, out of the parsers themselves."""

from __future__ import annotations

from argparse import SUPPRESS, Action, ArgumentParser
from types import ModuleType

from gdb_epi.cli.main import PROGRAM, commands_of_gdb, find_verb, verb_module_names
from gdb_epi.cli.support.gdb_command import CommandVerb
from gdb_epi.typing_lite import NamedTuple


class Argument(NamedTuple):
    """An option, or a positional argument, whose `flags` are empty.

    `metavar` is the word for what it takes, "" for a flag.
    """

    flags: tuple[str, ...]
    metavar: str
    choices: tuple[str, ...]
    help: str


class Verb(NamedTuple):
    """One verb: its words after the program's name; `inner` are the verbs of a group."""

    words: tuple[str, ...]
    help: str
    options: tuple[Argument, ...]
    inner: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the last word."""
        return self.words[-1]

    def usage(self) -> str:
        """Return what is typed, without the options."""
        values = [option.metavar for option in self.options if not option.flags]
        return " ".join((PROGRAM, *self.words, *values))


def verb_tree(package: str = "gdb_epi.cli", before: tuple[str, ...] = ()) -> list[Verb]:
    """Return all verbs, those of a group after it."""
    verbs: list[Verb] = []
    for name in verb_module_names(package):
        module = find_verb(package, name)
        if module is None:
            continue
        words = (*before, name.replace("_", "-"))
        if hasattr(module, "__path__"):
            inner = verb_tree(module.__name__, words)
            verbs += [Verb(words, module.HELP, (), tuple(verb.name for verb in inner)), *inner]
            continue
        verbs.append(_make_verb(words, module))
    return verbs + [_make_verb((name,), CommandVerb(name)) for name in commands_of_gdb(package)]


def _make_verb(words: tuple[str, ...], verb: ModuleType | CommandVerb) -> Verb:
    parser = ArgumentParser()
    verb.add_arguments(parser)
    shown = [action for action in parser._actions if action.help != SUPPRESS]
    return Verb(words, verb.HELP, tuple(map(_make_argument, shown)), ())


def _make_argument(action: Action) -> Argument:
    choices = tuple(map(str, action.choices or ()))
    name = action.metavar or action.dest.upper()
    value = "" if action.nargs == 0 else " ".join(name) if isinstance(name, tuple) else name
    if choices and not action.metavar:
        value = "{" + ",".join(choices) + "}"
    if action.nargs in ("+", "*"):
        value += "..."
    if not action.option_strings and action.nargs in ("?", "*"):
        value = f"[{value}]"
    text = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
    return Argument(tuple(action.option_strings), value, choices, " ".join(text.split()))
