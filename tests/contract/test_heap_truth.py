# SPDX-License-Identifier: Apache-2.0
"""Objects and references of real cores, against what the garbage collector of each process said."""

from __future__ import annotations

import contextlib
import json
import random
import time
from argparse import Namespace
from typing import Any

import pytest
from support.cores import truncate
from support.interpreters import Interpreter, discover, spread
from support.mutate import MutatedTarget
from support.opening import open_session

from commands.find import find_objects_or_text
from commands.refs import show_referrers
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.heap.referrers import MAX_NEAR_SEARCHES, MIN_SEARCHES_BACK
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import InputError, LayoutError, UsageError
from gdb_epi.process_state import ProcessState
from gdb_epi.render.report_json import render_report_json
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = [
    pytest.param(interpreter, id=interpreter.id) for interpreter in spread("heap", every=4)
]
HOSTILE = (0, 1, 7, 0x1000, 1 << 31, 1 << 40, 1 << 63, (1 << 64) - 1)
MAX_SECONDS = 40.0  # of processor time, most of it of the mutations themselves


def heap_of(session: Session, target: Any = None, **options: Any) -> ObjectSearch:
    python = session.state.python
    assert isinstance(python, PythonState), python
    return ObjectSearch(target or session.target, python, **options)


def as_json(report: Report) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(render_report_json(report))
    return document


def found(session: Session, what: str, **options: Any) -> dict[str, Any]:
    given = {"text": False, "subclasses": False, "limit": 100_000, "budget": 60.0, **options}
    return as_json(find_objects_or_text(session, Namespace(what=[what], **given)))


def addresses(data: dict[str, Any]) -> set[int]:
    return {int(entry["address"], 16) for entry in data["objects"]}


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_every_living_object_is_found_and_no_freed_one(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "heap_objects")
    heap = heap_of(session)
    truth = made.truth
    extra = {"Slotted": {truth["holders"]["slots"]}, "deque": {truth["holders"]["a deque"]}}
    for name, kept in truth["ids"].items():
        got = dict(heap.objects_of_type(truth["types"][name]))
        beyond = set(got) - set(kept)
        assert set(kept) <= set(got), name
        if name == "deque":  # the standard library may keep some of its own
            assert extra[name] <= beyond and len(beyond) <= 10
        else:
            assert beyond == extra.get(name, set()), name
        assert all(got[address] for address in kept), f"{name}: not tracked"
    assert list(heap.objects_of_type(truth["never"])) == []
    assert heap.soft_errors == []


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_every_type_and_every_list_that_the_collector_knew(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "heap_objects")
    heap = heap_of(session)
    assert set(made.truth["heap_types"]) <= set(heap.types_by_address())
    lists = found(session, "list", limit=100_000)
    assert set(made.truth["lists"]) <= addresses(lists)
    tracked = {int(entry["address"], 16) for entry in lists["objects"] if entry["tracked"]}
    assert set(made.truth["lists"]) <= tracked
    # json.dumps and the like made a few between the count and the end.
    assert len(tracked - set(made.truth["lists"])) < 60


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_find_by_name(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "heap_objects")
    plain = found(session, "__main__.Plain")
    assert addresses(plain) == set(made.truth["ids"]["Plain"])
    assert plain["types"] == [
        {
            "type": "__main__.Plain",
            "address": f"0x{made.truth['types']['Plain']:016x}",
            "count": 300,
            "tracked": 300,
        }
    ]
    assert addresses(found(session, hex(made.truth["types"]["Pair"]))) == set(
        made.truth["ids"]["Pair"]
    )
    numbers = set(made.truth["ids"]["Numbers"])
    assert not numbers & addresses(found(session, "list"))
    assert numbers <= addresses(found(session, "list", subclasses=True))
    assert found(session, "Never")["objects"] == []
    few = found(session, "Plain", limit=3)
    assert len(few["objects"]) == 3 and few["types"][0]["count"] == 300
    assert any("297 more" in error["message"] for error in few["soft_errors"])
    with pytest.raises(InputError, match="no type at"):
        found(session, "0x1000")
    with pytest.raises(UsageError):
        found(session, "'unended")


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_texts_in_all_their_forms(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "heap_objects")
    forms = {
        "text": ("'needle-in-a-'", "ascii", "str"),
        "wide": ("'with-\u20ac-in'", "utf-16-le", "str"),
        "astral": ("'with-\U0001f40d-in'", "utf-32-le", "str"),
        "data": (r"b'of-bytes\x00\xff'", "bytes", "bytes"),
    }
    for name, (what, encoding, kind) in forms.items():
        data = found(session, what)
        assert data["kind"] == "text" and data["complete"]
        objects = {(hit["object"], hit["encoding"], hit["type"]) for hit in data["hits"]}
        assert (f"0x{made.truth['atoms'][name]:016x}", encoding, kind) in objects, name
        assert all(hit["mapping"] for hit in data["hits"])
    # Without quotes: no type is called so. With a type's name: --text.
    assert found(session, "needle-in-a-haystack")["kind"] == "text"
    options = Namespace(what=["Plan"], text=False, subclasses=False, limit=1, budget=60.0)
    assert (
        find_objects_or_text(session, options)
        .lines[0]
        .startswith("no type is called Plan; as a text: ")
    )
    assert found(session, "Plain", text=True)["kind"] == "text"
    nothing = found(session, "'" + "-".join(["never", "written", "down"]) + "'")
    assert nothing["hits"] == []


def references(session: Session, address: int, **options: Any) -> dict[str, Any]:
    given = {"limit": 10_000, "budget": 60.0, **options}
    return as_json(show_referrers(session, Namespace(object=[hex(address)], **given)))


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_all_that_the_collector_calls_a_referrer(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "heap_objects")
    data = references(session, made.truth["target"])
    by_holder = {
        int(reference["holder"], 16): reference
        for reference in data["references"]
        if reference["holder"]
    }
    for address, kind, name in made.truth["referrers"]:
        if kind != "frame":  # below, by name
            assert address in by_holder, (kind, name)
    holders = made.truth["holders"]
    how = {
        name: by_holder[address]["how"] for name, address in holders.items() if address in by_holder
    }
    assert how["a list"] == "[1]" and how["a long list"] == "[5000]" and how["a tuple"] == "[1]"
    assert how["a dict"] == "['key']" and how["a mixed dict"] == "[5]"
    assert how["a deque"] == "[2]" and how["slots"] == ".left" and how["a set"] == "a member"
    assert how["a cell"] == ".ob_ref" and how["keyword defaults"] == "['default']"
    instance = [
        reference["how"]
        for reference in data["references"]
        if f"{holders['an instance']:#x}" in str(reference)
    ]
    assert how.get("an instance", ".held") == ".held"
    assert "an instance" in how or any("['held'], names of" in text for text in instance)
    text = {reference["how"] for reference in data["references"]}
    assert "['target'], names of module __main__" in text
    assert any("['attribute'], names of class" in way and "Attributed" in way for way in text)
    assert any(way.startswith("local held of its frame") or way == "local held" for way in text)
    frames = {reference["how"] for reference in data["references"] if reference["kind"] == "frame"}
    for variable in ("target", "local", "module_level"):
        assert any(frame.startswith(f"local {variable} of frame 1 ") for frame in frames), frames


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_budgets_and_bad_addresses(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "heap_objects")
    data = references(session, made.truth["target"], budget=0.0)
    assert any("budget" in error["message"] for error in data["soft_errors"])
    with pytest.raises(InputError, match="no types found"):
        found(session, "Plain", budget=0.0)
    assert not found(session, "'needle'", budget=0.0)["complete"]
    for bad in ("zero", "0x7", "-8", "0"):
        with pytest.raises((UsageError, InputError)):
            show_referrers(session, Namespace(object=[bad], limit=5, budget=1.0))
    assert references(session, 0x1234_5678_9A8)["type"] is None, "nothing is mapped there"
    # A number that hundreds of words hold, most of them in no object.
    few = references(session, 0x10, limit=3)
    assert few["type"] is None and len(few["references"]) == 3
    assert any("(--limit N)" in error["message"] for error in few["soft_errors"])


def test_a_limit_bounds_what_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a word that is everywhere only so many places get their object looked for."""
    _, session = open_session(discover()[0], "heap_objects")
    sought: list[int] = []

    def in_no_object(_heap: ObjectSearch, address: int) -> None:
        sought.append(address)

    monkeypatch.setattr(ObjectSearch, "object_enclosing", in_no_object)
    data = references(session, 0x10, limit=3)
    assert len(data["references"]) == 3
    # Some more are asked for what points to the buffers that the words lie in.
    assert MIN_SEARCHES_BACK <= len(sought) <= MIN_SEARCHES_BACK + MAX_NEAR_SEARCHES
    messages = [error["message"] for error in data["soft_errors"]]
    assert any("were not looked for" in text for text in messages), messages


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_damage_never_raises(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "heap_objects")
    python = session.state.python
    assert isinstance(python, PythonState)
    truth = made.truth
    chance = random.Random(interpreter.id)
    touched = list(truth["holders"].values()) + truth["heap_types"] + [truth["target"]]
    begun = time.process_time()
    for _ in range(3):
        target = MutatedTarget(session.target)
        for _ in range(16):
            place = chance.choice(touched) + 8 * chance.randrange(-4, 40)
            target.put_word(place & ~7, chance.choice(HOSTILE))
        damaged = Session(target, sysroot=session.sysroot)
        damaged.__dict__["state"] = session.state
        references(damaged, truth["target"])
        found(damaged, "list", subclasses=True)
        found(damaged, "'needle'")
    assert time.process_time() - begun < MAX_SECONDS


def test_truncated_cores_give_a_part(tmp_path: Any) -> None:
    """Of builds where _PyRuntime survives a cut (static) and of others."""
    shares = []
    interpreters = [
        interpreter
        for interpreter in discover()
        if not interpreter.root and not interpreter.stripped
    ]
    static = [interpreter for interpreter in interpreters if interpreter.minor in ((3, 9), (3, 11))]
    if not static:
        pytest.skip("no CPython 3.9 or 3.11 with symbols on this machine's own root")
    for interpreter in static:
        made, _ = open_session(interpreter, "heap_objects")
        interpreters = set(made.truth["ids"]["Plain"])
        for percent in (5, 40, 70, 95):
            cut = truncate(made.core, percent / 100, tmp_path / f"{interpreter.id}-{percent}")
            state = ProcessState(CoreFileTarget.open(cut))
            if isinstance(state.python, PythonState):
                heap = ObjectSearch(state.target, state.python)
                with contextlib.suppress(LayoutError):  # no type of types: said so
                    got = {text for text, _ in heap.objects_of_type(made.truth["types"]["Plain"])}
                    assert got <= interpreters
                    shares.append(len(got))
    assert shares and max(shares) == 300, shares
