# SPDX-License-Identifier: Apache-2.0
"""Numbers out of range and misspelt words, in GDB's arguments (GDB itself is not needed)."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from gdb_epi.argument_types import positive_number, whole_number
from gdb_epi.cli.support.gdb_command import commands_in_shell, reword_answer_for_shell
from gdb_epi.errors import UsageError
from gdb_epi.loader import load_commands
from gdb_epi.registry import COMMANDS
from gdb_epi.suggestions import find_nearest_word

NUMBERS = ("--limit", "--length", "--depth", "--width", "--types", "--budget", "--seconds")
VALUES = ("-5", "-1", "nan", "many", "1.5.2", "9" * 30, "9" * 5000)


@pytest.fixture
def parse(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], Any]]:
    """The parser of `epi` commands, with a `gdb` that splits words and has no settings."""
    gdb = ModuleType("gdb")
    gdb.string_to_argv = str.split  # type: ignore[attr-defined]
    gdb.error = RuntimeError  # type: ignore[attr-defined]
    gdb.parameter = lambda _name: None  # type: ignore[attr-defined]  # nothing is set
    monkeypatch.setitem(sys.modules, "gdb", gdb)
    monkeypatch.delitem(sys.modules, "gdb_epi.gdbhost.arguments", raising=False)
    assert load_commands() == []
    from gdb_epi.gdbhost.arguments import parse_command_arguments

    yield lambda name, text: parse_command_arguments(COMMANDS[name], text)
    sys.modules.pop("gdb_epi.gdbhost.arguments", None)


def test_every_number_of_every_command_is_refused_out_of_range(parse) -> None:
    checked = []
    for name, command in COMMANDS.items():
        if name == "push":
            continue
        before = "x " if any(not a.flags[0].startswith("-") for a in command.arguments) else ""
        for flag in (a.flags[-1] for a in command.arguments if a.flags[-1] in NUMBERS):
            values = VALUES if name == "gc" and flag == "--types" else (*VALUES, "0")
            for value in values:
                words = "" if name in ("locals", "bt") else before
                with pytest.raises(UsageError) as caught:
                    parse(name, f"{words}{flag} {value}")
                line = caught.value.one_line_text()
                assert line.startswith(f"epi {name}: argument {flag}: "), line
                assert "\n" not in line and "; try: help epi" in line
            checked.append((name, flag))
    assert len(checked) >= 25
    assert {"bt", "locals", "print", "gc", "find"} <= {name for name, _ in checked}


def test_numbers_in_range_are_taken(parse) -> None:
    assert parse("gc", "--types 0 --limit 1").types == 0
    assert parse("list", "0 --context 0").context == 0
    assert parse("print", "x --frame 0 --depth 1 --width 1 --length 1").length == 1
    assert parse("find", "x --budget 0.5").budget == 0.5


@pytest.mark.parametrize(
    "line", ["locals -1", "list -1", "print x --frame -1", "list --context -1"]
)
def test_frames_and_context_are_not_negative(parse, line: str) -> None:
    with pytest.raises(UsageError, match="must be at least 0"):
        parse(*line.split(" ", 1))


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("bt --alll", "--all"),
        ("bt --lim 5", "--limit"),
        ("bt --locls", "--locals"),
        ("bt --jsn", "--json"),
        ("gc --type=5", "--types"),
        ("bt --zzz", None),
        ("threads extra words", None),
    ],
)
def test_an_unknown_option_gets_a_suggestion(parse, line: str, meant: str | None) -> None:
    with pytest.raises(UsageError, match="unrecognized arguments") as caught:
        parse(*line.split(" ", 1))
    message = str(caught.value)
    assert message.endswith(f" (did you mean {meant}?)") if meant else "mean" not in message


def test_a_command_says_itself_how_the_shell_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    load_commands()
    shown = COMMANDS["locks"]
    monkeypatch.setitem(COMMANDS, "mine", shown._replace(name="mine", in_shell=False))
    assert "locks" in commands_in_shell() and not {"mine", "up"} & {*commands_in_shell()}
    monkeypatch.setitem(COMMANDS, "mine", shown._replace(name="mine"))
    assert "mine" in commands_in_shell()
    hints: dict[bool, str] = {}
    for values in (False, True):
        monkeypatch.setitem(COMMANDS, "mine", shown._replace(name="mine", shows_values=values))
        hints[values] = reword_answer_for_shell("mine", "try: epi locks\nnote: epi locks", "core")
    path = "/var/lib/systemd/coredump/core.python3.1000.1f.77"
    long = reword_answer_for_shell(
        "locks", f"{'word ' * 10}(`epi fork` says so), {'word ' * 8}", path
    )
    assert f"`gdb-epi fork {path}`" in long and max(map(len, long.split("\n"))) <= 100
    gdb_epi = "gdb-epi locks core"
    assert hints == {
        False: f"try: {gdb_epi}\nnote: {gdb_epi}",
        True: f"try: epi locks\nnote: {gdb_epi}",
    }


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("alias", None),
        ("lits", "list"),
        ("tb", "bt"),
        ("threds", "threads"),
        ("exc", "exceptions"),
        ("local", "locals"),
        ("ge", None),
        ("backtrace", None),
        ("", None),
    ],
)
def test_the_command_that_was_meant(word: str, meant: str | None) -> None:
    load_commands()
    assert find_nearest_word(word, COMMANDS) == meant


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (whole_number(), "0", "'0' is too small: it must be at least 1"),
        (whole_number(0, 65535), "65536", "'65536' is too large: it must be at most 65535"),
        (whole_number(), "1.5", "'1.5' is not a whole number"),
        (positive_number("days"), "inf", "'inf' is not a positive number of days, at most 1e+09"),
        (whole_number(), "\x1b[2J", r"'\x1b[2J' is not a whole number"),
    ],
)
def test_the_message_names_value_and_range(read, text: str, message: str) -> None:
    with pytest.raises(ArgumentTypeError) as caught:
        read(text)
    assert str(caught.value) == message
