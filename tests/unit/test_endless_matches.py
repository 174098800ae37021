# SPDX-License-Identifier: Apache-2.0
"""Which regular expressions take exponential time on which texts."""

from __future__ import annotations

import re

import pytest

from gdb_epi.hangs.loops.endless_matches import _grows_faster_than_any_power, _MatchState

EXPLODES = [
    (r"^(?:[a-z0-9]+\.?)+@example\.com$", "a" * 40 + "#", 40),
    (r"^(a+)+$", "a" * 40 + "b", 38),
    (r"(?:\w+\s?)*;", "some more words and internationalisations!", 41),
    (r"^(?:a|aa)+$", "a" * 60 + "c", 60),
    (r"(x+x+)+y", "x" * 40 + " and more", 40),
]
GROWS_SLOWLY = [
    (r"^[a-z]+@example\.com$", "a" * 40 + "#", 40),
    (r".*.*.*x", "a" * 60, 58),
    (r"^(?:\d+,)+$", "123,456,789,123,456,789,123,4", 28),
    (r"(?:[^\"]*\"[^\"]*\")*$", 'a"b"' * 12 + "a", 46),
    (r"^(a+)+$", "a" * 40, 40),
    (r"\s+$", " " * 40 + "x", 40),
    (r"(a+)+$", "a" * 29 + "b", 29),  # 2**29 ways: seconds
    (r"^(?:a|aa)+$", "a" * 40 + "c", 40),
]


@pytest.mark.parametrize(("pattern", "text", "position"), EXPLODES)
def test_explodes(pattern: str, text: str, position: int) -> None:
    assert _grows_faster_than_any_power(pattern, 32, _MatchState(text, 0, position))


@pytest.mark.parametrize(("pattern", "text", "position"), GROWS_SLOWLY)
def test_grows_slowly(pattern: str, text: str, position: int) -> None:
    assert not _grows_faster_than_any_power(pattern, 32, _MatchState(text, 0, position))


@pytest.mark.parametrize(("pattern", "text", "_position"), [*EXPLODES, *GROWS_SLOWLY])
def test_matches_as_the_engine_does(pattern: str, text: str, _position: int) -> None:
    from re import _parser as parser  # type: ignore[attr-defined]

    from gdb_epi.hangs.loops.endless_matches import _Matcher

    for piece in (text[-8:], text[-5:], text[:7], "aa", "a", "xxy", "ab;", "", 'a"b"a', "12,3,"):
        expected = re.match(pattern, piece)
        end = next(_Matcher(piece, 32).possible_ends(list(parser.parse(pattern)), 0), None)
        assert end == (expected.end() if expected else None)
