# SPDX-License-Identifier: Apache-2.0
"""The record: valid by its schema, the same for the same bytes, and free of secrets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.fake_target import FakeTarget
from support.scenes import HEAP, MMAP, PID, SP, crash, frame, state

from gdb_epi.analysis import MAX_SOFT_ERRORS, analyze, soft_errors_json
from gdb_epi.cpython.layout.layout import load_layout
from gdb_epi.cpython.runtime.program import find_program
from gdb_epi.cpython.types import CHAIN, InterpreterState, PyFrame, PythonState, ThreadState
from gdb_epi.errors import NOT_AVAILABLE, Absent, SoftError
from gdb_epi.process_state import ProcessState
from gdb_epi.record.redact import redact_path, redact_text
from gdb_epi.render.escape import WIDTH
from gdb_epi.render.triage import MAX_LINES, render_triage
from gdb_epi.session import Session

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "gdb_epi" / "record" / "schema" / "record-1.json"
SECRET = "hunter2"


def python(filename: str, *names: str) -> PythonState:
    frames = tuple(
        PyFrame(0, 0, name, name, filename, 3, "app", "thread", CHAIN, False) for name in names
    )
    thread = ThreadState(1, 0, 7, PID, "MainThread", True, True, True, frames)
    main = InterpreterState(1, 0, (thread,))
    layout = load_layout((3, 13))
    assert not isinstance(layout, Absent)
    return PythonState("3.13.0", 0x030D00F0, layout, 0, "symbol", False, PID, (main,))


def record(made: ProcessState) -> dict[str, Any]:
    session = Session(made.target)
    session.__dict__["state"] = made
    analysis = analyze(session)
    assert json.loads(json.dumps(analysis)) == analysis
    return analysis


def scenes() -> dict[str, ProcessState]:
    flipped = (MMAP + 0x1240) ^ (1 << 41)
    native = [frame("f"), frame("main"), frame("_start")]
    return {
        "native null": state(crash(address=8), native=native),
        "no native": state(crash(address=8), python=python("/home/alice/app.py", "f", "g")),
        "flip": state(
            crash(address=flipped), registers={"rdi": flipped}, code=b"\x48\x8b\x07", native=native
        ),
        "killed": state(crash(6, 0, sender=5), native=native),
        "abort": state(crash(6, -6, sender=PID), native=[frame("raise"), frame("abort"), *native]),
        "snapshot": state(None, native=native),
        "no threads": state(crash(address=8), threads=[]),
        "lost stack": state(crash(address=MMAP + 0x100000), native=[frame("f")]),
        "python unreadable": state(
            crash(address=8), native=native, python=Absent(NOT_AVAILABLE, "CPython 3.99")
        ),
    }


SCENES = list(scenes())


@pytest.mark.parametrize("name", SCENES)
def test_records_are_valid(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema (extra `dev`) is missing")
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    document = record(scenes()[name])
    errors = jsonschema.Draft202012Validator(schema).iter_errors(document)
    assert [f"{error.json_path}: {error.message}" for error in errors] == []


def test_the_schema_refuses_what_is_wrong() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema (extra `dev`) is missing")
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    good = record(scenes()["native null"])
    assert validator.is_valid(good)
    for path, value in (
        (("core_key",), "xyz"),
        (("verdict", "confidence"), 1.0),
        (("signal", "fault_address"), "0x8"),
        (("signature", "keys", "stable"), "short"),
    ):
        bad = json.loads(json.dumps(good))
        inner = bad
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        assert not validator.is_valid(bad), path


@pytest.mark.parametrize("name", SCENES)
def test_the_same_bytes_give_the_same_record(name: str) -> None:
    assert record(scenes()[name]) == record(scenes()[name])


@pytest.mark.parametrize("name", SCENES)
def test_triage_fits_a_screen(name: str) -> None:
    lines = render_triage(record(scenes()[name]))
    assert 5 < len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= WIDTH
    assert any(line.startswith("Process  ") for line in lines)


def test_the_screen_shows_the_thread_that_was_signed() -> None:
    document = record(scenes()["native null"])
    place = {"language": "native", "pc": "0x1", "module": "libx.so", "offset": 0x64AF}
    nap = {"language": "native", "pc": "0x2", "function": "__GI___clock_nanosleep"}
    signed = {"tid": 999, "name": None, "native": "present", "frames": [nap, place]}
    document["threads"]["signed"] = signed | {"frames_left_out": 3}
    document["signature"]["thread"] = {"tid": 999, "why": "snapshot: it holds the GIL"}
    lines = render_triage(document)
    start = lines.index("Stack of thread 999, most recent call first")
    # Without Python frames, what it waits in is the place.
    assert lines[start + 1].split() == ["C", "__clock_nanosleep", "0x2"]
    assert lines[start + 2].split() == ["C", "name", "not", "known", "libx.so+0x64af"]
    assert lines[start + 3].strip() == "... 3 more calls"


def test_the_screen_of_a_core_without_threads() -> None:
    lines = render_triage(record(scenes()["no threads"]))
    assert "Stack    the core lists no thread" in lines
    assert not any("None" in line for line in lines)


def test_what_a_record_says_of_a_flip() -> None:
    document = record(scenes()["flip"])
    assert document["flags"]["bitflip"] is False  # P1 alone: no copy, no claim
    assert document["corruption"]["candidates"][0]["bits"] == [41]
    assert document["verdict"]["label"] == "cannot-tell"


def test_absent_keys_say_why() -> None:
    signature = record(scenes()["no native"])["signature"]
    assert signature["group"]["key"] == "python"
    assert "native" in signature["absent"]["stable"]
    assert signature["native"] is False
    unreadable = record(scenes()["python unreadable"])["signature"]
    assert unreadable["group"]["key"] == "native"
    assert "3.99" in unreadable["absent"]["stable"]


def test_abort_in_another_thread_carries_the_main_thread() -> None:
    from gdb_epi.target.api import CrashInfo, Thread

    registers = {"rip": 0, "rsp": SP}
    watchdog = Thread(PID + 1, registers, "watchdog")
    main = Thread(PID, registers, "prog")
    made = state(threads=[watchdog, main])
    died = CrashInfo(6, -6, 0, None, PID, 0, PID + 1)
    made.target._crash = died
    made.target._native = {
        PID + 1: [frame("abort"), frame("watch"), frame("clone3")],
        PID: [frame("wait"), frame("main"), frame("_start")],
    }
    signature = record(made)["signature"]
    assert signature["thread"]["tid"] == PID + 1
    assert "watch" in signature["text"]["stable"]
    assert signature["secondary"]["tid"] == PID
    assert "wait <- main" in signature["secondary"]["text"]["stable"]


# -- redaction -------------------------------------------------------------------------------


def test_planted_secrets_do_not_come_out() -> None:
    """Argv, environment, memory, and the user's name are in the process, none in the record."""
    psargs = f"python3 -X dev /home/alice/secret/app.py --password {SECRET}"
    made = state(
        crash(address=8), psargs=psargs, python=python(f"/home/alice/{SECRET[:0]}app.py", "f")
    )
    made.target.write(HEAP, f"PASSWORD={SECRET}".encode())
    made.target.write(SP, SECRET.encode() + b"\0")
    made.soft_errors.append(SoftError("x", "y", "no file /home/alice/lib/x.so"))
    text = json.dumps(record(made))
    assert SECRET not in text
    assert "alice" not in text
    assert "--password" not in text
    assert "/home/~/app.py" in text
    assert record(made)["process"]["script"] == "app.py"


@pytest.mark.parametrize(
    ("psargs", "script"),
    [
        ("python3 app.py", "app.py"),
        ("/usr/bin/python3.13 -u /srv/x/app.py --token s", "app.py"),
        ("python -X faulthandler -W error app.py", "app.py"),
        ("python -m package.module --token s", "-m package.module"),
        ("python -c import", "-c"),
        ("python -Ic import", "-c"),
        ("python -Bm package", "-m package"),
        ("python -Werror -Xdev app.py -c x", "app.py"),
        ("python -", "<stdin>"),
        ("python -- -app.py", "-app.py"),
        ("python -c from multiprocessing.spawn import spawn_main", "multiprocessing.spawn"),
        ("python", None),
        ("nginx: worker secret", None),
        ("python3 " + "/srv/" + "x" * 66, None),  # 79 characters: cut
    ],
)
def test_script_names(psargs: str, script: str | None) -> None:
    program = find_program(FakeTarget(), Absent(NOT_AVAILABLE, "no Python"), psargs)
    assert (program and program.name) == script


@pytest.mark.parametrize(
    ("path", "reduced"),
    [
        ("/home/alice/app/x.py", "/home/~/app/x.py"),
        ("/mnt/home/alice/x.py", "/mnt/home/~/x.py"),
        ("/Users/alice/x.py", "/Users/~/x.py"),
        ("/srv/app/x.py", "/srv/app/x.py"),
        ("/root/x.py", "/root/x.py"),
    ],
)
def test_paths(path: str, reduced: str) -> None:
    assert redact_path(path) == reduced
    assert redact_text(f"cannot open {path}: gone") == f"cannot open {reduced}: gone"


def test_soft_errors_are_capped_and_the_cap_is_said() -> None:
    many = [SoftError("stage", str(number), "why") for number in range(MAX_SOFT_ERRORS + 5)]
    kept = soft_errors_json(many)
    assert len(kept) == MAX_SOFT_ERRORS + 1
    assert "5 more" in kept[-1]["message"]


def test_hostile_names_cannot_steer_a_terminal() -> None:
    made = state(crash(address=8), python=python("/x\x1b[2J.py", "f\x1b]0;owned\x07", "g\nh"))
    document = record(made)
    lines = render_triage(document)
    assert all(line.isprintable() for line in lines)
    assert all(text.isprintable() for text in document["signature"]["text"].values())


def test_a_lone_surrogate_survives() -> None:
    made = state(crash(address=8), python=python("/x.py", "f\ud800"))
    document = record(made)
    json.dumps(document).encode()
    for line in render_triage(document):
        line.encode()
