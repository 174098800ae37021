# SPDX-License-Identifier: Apache-2.0
"""A thread that reads a file on a disk waits for nobody; one that reads a pipe does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.hangs import core_by_signal
from support.interpreters import Interpreter, spread
from support.opening import need_core_dumps

from gdb_epi.errors import Absent
from gdb_epi.hangs.diagnose_hang import diagnose_hang
from gdb_epi.hangs.types import HANG, NO_FAULT
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

PROGRAM = """
import json, os
text, binary = open(__file__), open(__file__, "rb")
end, _ = os.pipe()
pipe = open(end)
with open("descriptors", "w") as out:
    json.dump({"text": text.fileno(), "binary": binary.fileno(), "pipe": end}, out)
open("ready", "w").close()
pipe.read()
"""


def is_plain(interpreter: Interpreter) -> bool:
    return interpreter.root is None and not interpreter.free_threaded


@pytest.mark.parametrize(
    "one", spread("file reads", is_plain, every=2), ids=lambda interpreter: interpreter.id
)
def test_what_is_read(one: Interpreter, tmp_path: Path) -> None:
    """The very read that the core has, and the same of another descriptor of the process."""
    need_core_dumps()
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    core = core_by_signal(one, "file_reads", tmp_path, program=program)
    state = ProcessState(CoreFileTarget.open(core))
    (thread,) = state.target.threads()
    numbers = json.loads((tmp_path / "descriptors").read_text())
    assert thread.system_call_argument(0) == numbers["pipe"]
    answers = {}
    for name, number in numbers.items():
        register = thread.architecture.arguments[0]
        other = thread._replace(registers={**thread.registers, register: number})
        answer = diagnose_hang(state.target, state.python, state.locks, [other])
        assert not isinstance(answer, Absent), answer
        answers[name] = answer.label, answer.kind
    read = (NO_FAULT, "file")
    assert answers == {"text": read, "binary": read, "pipe": (HANG, "pipe of its own")}
