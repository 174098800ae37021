# SPDX-License-Identifier: Apache-2.0
"""Paths that go in a circle, and by how many ways."""

from __future__ import annotations

import pytest

from gdb_epi.hangs.loops.walks_through_circular_links import is_circular, years_of_walk

RING = "/srv" + "/garden/all" * 14


@pytest.mark.parametrize(
    ("path", "circular"),
    [
        (RING, True),
        ("/srv" + "/down" * 6, True),
        ("/srv/" + "/".join(f"node_modules/p{number}" for number in range(20)), False),
        ("/srv/a/b/a/b/c", False),
        ("", False),
    ],
)
def test_one_way_back_ends(path: str, circular: bool) -> None:
    assert is_circular(path) == circular
    assert years_of_walk(path) == 0.0


def test_two_ways_back_do_not_end() -> None:
    assert 0.1 < years_of_walk(RING + "/winter/all" * 2 + "/garden/all") < 10
    more = RING + "/winter/all/harbour/all" * 2
    assert years_of_walk(more) > 1e5
    assert years_of_walk(RING + "/winter/all/garden") == 0.0, "once is a folder below"
