# SPDX-License-Identifier: Apache-2.0
"""The quick parser says what argparse says, or nothing."""

from __future__ import annotations

import contextlib
import io
from argparse import ArgumentParser
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdb_epi.cli.support.quick_parser import QuickParser
from gdb_epi.cli.support.triage_output import _GroupOfAlikeCores, _urgency_of_group

VERBS = ("triage", "stacks", "doctor", "completion", "fleet.data.ingest", "fleet.look.top")
WORDS = (
    "bash", "core", "a b", "", "-", "--", "-x", "--no-db", "--db", "x.sqlite3", "--jobs", "2", "0",
    "many", "--timeout", "1.5", "nan", "--format", "json", "yaml", "--stacks", "--locals",
    "--native", "never", "--max-size", "64G", "1X", "--json", "--csv", "--limit", "--help", "-h",
    "--exe", "--db=x", "--jobs=2", "--sysroot", "--stack", "--output", "--gdb", "-1",
)  # fmt: skip


def both(verb: str, words: list[str]) -> tuple[dict | None, dict | None]:
    """What the quick parser and argparse make of the words; None: refused."""
    module = import_module(f"gdb_epi.cli.{verb}")
    quick, slow = QuickParser(), ArgumentParser(allow_abbrev=False)
    module.add_arguments(quick)
    module.add_arguments(slow)
    values = quick.parse(words)
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        try:
            expected = vars(slow.parse_args(words))
        except SystemExit:
            expected = None
    return None if values is None else vars(values), expected


@settings(max_examples=600)
@given(st.sampled_from(VERBS), st.lists(st.sampled_from(WORDS), max_size=6))
def test_an_answer_is_the_answer_of_argparse(verb: str, words: list[str]) -> None:
    quick, slow = both(verb, words)
    assert quick is None or quick == slow


@pytest.mark.parametrize(
    "words",
    [
        ["core"],
        ["core", "other", "--no-db", "--native", "never"],
        ["--format", "json", "--stacks", "--locals", "core"],
        ["--jobs", "4", "--timeout", "2", "--max-size", "1G", "core", "--output", "f"],
    ],
)
def test_ordinary_lines_need_no_argparse(words: list[str]) -> None:
    quick, slow = both("triage", words)
    assert quick is not None and quick == slow


def test_what_did_not_fail_is_not_the_first_to_look_at() -> None:
    healthy, crash = _GroupOfAlikeCores(), _GroupOfAlikeCores()
    healthy.record, healthy.count = {"verdict": {"label": "no-fault"}}, 9
    crash.record, crash.count = {"verdict": {"label": "software"}}, 1
    assert max((healthy, crash), key=_urgency_of_group) is crash
