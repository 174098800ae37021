# SPDX-License-Identifier: Apache-2.0
"""gdb_epi.typing_lite.NamedTuple behaves as typing.NamedTuple does."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from gdb_epi.json_lite import parse_shipped_json
from gdb_epi.typing_lite import NamedTuple


class Point(NamedTuple):
    """A point."""

    x: int
    y: int = 2

    @property
    def sum(self) -> int:
        return self.x + self.y

    def __bool__(self) -> bool:
        return self.x != 0


def test_fields_defaults_methods() -> None:
    point = Point(1)
    assert point == (1, 2) == Point(x=1, y=2)
    assert point.sum == 3 and bool(point) and not Point(0)
    assert point._replace(y=5).sum == 6 and point._asdict() == {"x": 1, "y": 2}
    assert repr(point) == "Point(x=1, y=2)" and Point.__doc__ == "A point."


def test_wrong_fields_are_refused() -> None:
    assert Point._make([3, 4]) == Point(3, 4)
    for made in (lambda: Point(1, 2, 3), lambda: Point(1, x=2), lambda: Point(1, z=2)):  # type: ignore[call-arg, misc]
        with pytest.raises(TypeError, match=r"Point\.__new__\(\)"):
            made()
    with pytest.raises(TypeError):
        Point._make([1])
    with pytest.raises(ValueError, match="z"):
        Point(1)._replace(z=2)  # type: ignore[call-arg]


def test_immutable_and_picklable() -> None:
    with pytest.raises(AttributeError):
        Point(1).x = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        Point()  # type: ignore[call-arg]
    assert pickle.loads(pickle.dumps(Point(4, 5))) == Point(4, 5)


def test_parse_json_is_json() -> None:
    folder = Path(__file__).resolve().parents[2] / "gdb_epi" / "cpython" / "layout" / "generated"
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.json")]
    assert len(texts) > 10
    texts += ['{"a": [1, 2.5, -3e4, true, false, null, "\\u00e9\\n"]}', "[]", '"x"']
    for text in texts:
        assert parse_shipped_json(text) == json.loads(text)
