# SPDX-License-Identifier: Apache-2.0
"""The variable that holds the bad address is named, from real cores; nothing else is."""

from __future__ import annotations

import json

import pytest
from support.interpreters import Interpreter, spread
from support.opening import made_or_skip, sysroot_of

from gdb_epi.analysis import analyze
from gdb_epi.render.fault_lines import lines_of_variables_with_bad_address
from gdb_epi.render.triage import render_triage
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

BAD = 0x7F0000DEAD00
# program: name, function, how, offset
NAMED = {
    "bad_handle_argument": ("handle", "native_price", "is", None),
    "bad_handle_attribute": ("self.handle", "Client.price", "is", None),
    "bad_handle_pointer": ("pointer", "by_pointer", "is", None),
    "bad_handle_cast": ("pointer", "by_pointer", "is", None),
    "bad_handle_base": ("record", "by_base", "base", 0x18),
}
# A small number; memory of ctypes' own, or of what a pointer still names, one bit away.
UNNAMED = ("bad_handle_null", "flipped_structure_own", "flipped_structure_contents")
CELLS = [
    pytest.param(interpreter, name, id=f"{interpreter.id}-{name}")
    for name in (*NAMED, *UNNAMED)
    for interpreter in spread(name, every=6)
]


@pytest.mark.parametrize(("interpreter", "name"), CELLS)
def test_what_holds_the_bad_address_is_named(interpreter: Interpreter, name: str) -> None:
    made = made_or_skip(interpreter, name)
    target = CoreFileTarget.open(made.core, sysroot=sysroot_of(made))
    record = analyze(Session(target))
    # deathbed's own frame holds the way to die and with it the argument.
    named = [
        entry
        for entry in record["signal"].get("named_values", ())
        if not entry["filename"].endswith("deathbed.py")
    ]
    if name not in NAMED:
        assert "named_values" not in record["signal"]
        assert "address_in_variable" not in [f["detector"] for f in record["findings"]]
        return
    wanted, function, how, offset = NAMED[name]
    first = named[0]
    assert first["name"] == wanted
    assert first["function"].rpartition(">.")[2] in (function, function.rpartition(".")[2])
    assert (first["how"], first.get("offset")) == (how, offset)
    assert str(BAD) not in json.dumps(record["signal"]["named_values"])
    (finding,) = [f for f in record["findings"] if f["detector"] == "address_in_variable"]
    assert finding["facts"]["kind"] == how
    assert record["verdict"]["label"] == "software"
    lines = "\n".join(render_triage(record))
    assert f"`{wanted}` of" in lines
    assert (str(BAD) in lines) == (how == "is")


def test_sentences() -> None:
    entry = {"name": "h", "function": "f", "filename": "/a/f.py", "lineno": 3, "how": "is"}
    signal = {"fault_address": "0x00007f0000dead00", "named_values": [entry]}
    assert list(lines_of_variables_with_bad_address(signal)) == [
        "`h` of f (f.py:3) is 139637991320832, which is 0x7f0000dead00"
    ]
    entry |= {"how": "base", "offset": 16}
    assert list(lines_of_variables_with_bad_address(signal)) == [
        "`h` of f (f.py:3) is 0x7f0000deacf0; the bad address lies 16 bytes after it"
    ]
    signal["fault_address"] = "redacted"
    assert list(lines_of_variables_with_bad_address(signal)) == [
        "`h` of f (f.py:3) is a pointer; the bad address lies 16 bytes after it"
    ]
