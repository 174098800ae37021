# SPDX-License-Identifier: Apache-2.0
"""What a dry run says of code that works on bytes, named tuples and texts that grow a number."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.dry_runs import UNKNOWN, is_plain, outcomes
from support.interpreters import Interpreter, spread
from support.opening import need_core_dumps

PROGRAM = """
import collections, decimal, os, struct

HEAD = struct.Struct("<HH")
PACKED = HEAD.pack(7, 6) + b"ab" + HEAD.pack(3, 0) + bytes(5000)
VIEW, KEPT = memoryview(b"hello world"), bytearray(b"abc")
WRITABLE = memoryview(bytearray(b"hello"))
Place = collections.namedtuple("Place", "x y")
START, TAKEN = Place(3, 4), {"a-long-t", "storm"}

def records(number):
    at = 0
    for _ in range(number):
        kind, size = HEAD.unpack_from(PACKED, at)
        at += size
    return kind * 100 + at + HEAD.size * 1000

def two_records():
    return records(2)

def endless_records():
    at = 0
    while at < len(PACKED):
        at += struct.unpack_from("<HH", PACKED, at)[1]

def pieces():
    text = PACKED[4:6].decode() + VIEW[6:8].tobytes().decode() + KEPT[1:].decode()
    return text + b"-".join(b"x,y".split(b",")).decode()

def changed_bytes():
    KEPT.extend(b"de")
    return bytes(KEPT).decode()

def writable_view():
    return len(WRITABLE)

def endless_view():
    view = VIEW
    while view:
        view = view[min(len(view), 0):]

def places():
    first = Place(START.x + 1, y=2)
    x, y = first
    return x * 1000 + y * 100 + START[1] * 10 + (first == Place(4, 2)) + (type(first) is Place)

def endless_places():
    place, step = Place(0, 0), Place(1, 0)
    while place != Place(9, 9):
        place, step = Place(place.x + step.x, place.y + step.y), Place(-step.x, -step.y)

def endless_slugs():
    slug, number = "a-long-t", 1
    while slug in TAKEN:
        number += 1
        slug = f"a-long-title-{number}"[:8]
        slug = "{}-{}".format(slug, number)[:8]
        slug = ("%s-%d" % (slug, number))[:8]
        slug = (slug + "-" + str(number))[:8]

def longer_slugs():
    slug, number = "storm", 1
    while slug in TAKEN or number < 5:
        number += 1
        slug = f"storm-{number}"[:8]
    return slug

def unknown_part():
    slug, number = "storm", 1
    while slug != "storm-99999999999":
        number += 1
        slug = f"storm-{number}"

def row(text):
    try:
        return len(dict(part.split("=") for part in text.split(";")))
    except ValueError:
        return -1

def rows():
    return row("a=1;b=2") * 10 + row("a=1;b")

def base():
    return os.path.basename("/srv/data/x.txt") + os.path.dirname("/srv/x")

def prices():
    return sum([decimal.Decimal("0.5"), decimal.Decimal("1.5")]) == 2

def endless_root():
    root, rounds = START.x * float("nan"), 0
    while abs(root) > 1e-9 or root != root:
        root, rounds = -root / 2 + 1, rounds + 1

def of_nan():
    nan = float("nan")
    return (nan == nan) + 10 * (nan < 1) + 100 * (nan != nan) + 1000 * (not nan >= nan)

def nan_within():
    return float("nan") in [float("nan")]

def mapped():
    return sum(map(int, ["1", "2"])) * 10 + len(list(filter(None, [0, 1, 2])))

if __name__ == "__main__":
    open("ready", "w").close()
    while True:
        os.getpid()
"""
EXPECTED = {
    "two_records": 4306, "endless_records": "endless", "pieces": "abwobcx-y",
    "changed_bytes": "abcde", "writable_view": UNKNOWN, "endless_view": "endless",
    "places": 4242, "endless_places": "endless", "endless_slugs": "endless",
    "longer_slugs": "storm-5", "unknown_part": UNKNOWN, "rows": 19, "base": "x.txt/srv",
    "prices": True, "mapped": 32, "endless_root": "endless", "of_nan": 1100, "nan_within": UNKNOWN,
}  # fmt: skip


@pytest.mark.parametrize(
    "one", spread("dry run values", is_plain, every=2), ids=lambda interpreter: interpreter.id
)
def test_functions_of_a_core(one: Interpreter, tmp_path: Path) -> None:
    need_core_dumps()
    assert outcomes(one, tmp_path, PROGRAM, EXPECTED) == EXPECTED
