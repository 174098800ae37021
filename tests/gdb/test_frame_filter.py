# SPDX-License-Identifier: Apache-2.0
"""`set epi frames on`: GDB's own `bt` and an editor over DAP show Python frames."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest
from driver import BOOTSTRAP, QUIET, TIMEOUT, Gdb, environment, run_gdb, with_epi
from support.cores import Made
from support.opening import core_of

PYTHON = re.compile(r"^(?:#\d+ +)?(\S+) \((.*)\) at (\S+\.py|<string>):(\d+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def nested() -> Made:
    return core_of("nesting")


def frames_of(made: Made) -> list[tuple[str, int]]:
    return [(frame[0], frame[-1]) for frame in made.truth["threads"][0]["frames"]]


def test_bt_shows_python_frames(gdb: Gdb, nested: Made) -> None:
    commands = (
        "bt -2",
        "set epi frames on",
        "echo ON\\n",
        "bt",
        "echo RAW\\n",
        "bt -no-filters -2",
    )
    done = run_gdb(
        gdb, *with_epi(*commands, "bt -no-filters -2", "echo OFF\\n"), "set epi frames off",
        "bt -2", "show epi frames",
        exe=nested.executable, core=nested.core,
    )  # fmt: skip
    assert done.returncode == 0, done.text
    before, rest = done.stdout.split("ON\n")
    shown, rest = rest.split("RAW\n")
    raw, off = rest.split("OFF\n")
    findall = PYTHON.findall(shown)
    expected = [name for name, _ in frames_of(nested)]
    assert [name.rpartition(".")[2] for name, *_ in findall] == expected, done.text
    assert any("Way(name='raise'" in arguments for _, arguments, *_ in findall), done.text
    assert max(len(arguments) for _, arguments, *_ in findall) < 150, "an argument is 50"
    assert "number=12" in shown and "_PyEval_EvalFrameDefault" not in shown
    assert not PYTHON.findall(before) and not PYTHON.findall(raw) and not PYTHON.findall(off)
    assert "Python Exception" not in done.text and off.rstrip().endswith(": off.")


def test_a_frame_without_a_name_is_printed_as_before(gdb: Gdb, nested: Made) -> None:
    """Without symbols each line of `bt` said "in  ()"."""
    done = run_gdb(gdb, *with_epi("set epi frames on", "bt"), core=nested.core)
    raw = run_gdb(gdb, *with_epi("bt"), core=nested.core)
    assert " in  (" not in done.stdout, done.text
    for words in ("?? ()", "<signal handler called>"):
        assert done.stdout.count(words) == raw.stdout.count(words), words


def test_with_the_wrong_executable_bt_says_once_why_there_is_no_python(
    gdb: Gdb, nested: Made
) -> None:
    """It was a page of "?? ()" without a word."""
    words = ("set epi frames on", "bt 2", "bt 2")
    done = run_gdb(gdb, *with_epi(*words), exe="/bin/true", core=nested.core)
    (epi_line,) = (line for line in done.text.splitlines() if line.startswith("epi: "))
    assert epi_line.startswith("epi: no Python frames here: ") and "; try: " in epi_line


def test_sourcing_registers_no_filter(gdb: Gdb) -> None:
    ask = "python print('FILTERS', len(gdb.frame_filters), gdb.parameter('epi frames'))"
    done = run_gdb(gdb, *with_epi(ask, f"source {BOOTSTRAP}", "set epi frames auto", ask))
    assert re.findall(r"FILTERS .*", done.stdout) == ["FILTERS 0 off", "FILTERS 1 auto"], done.text


class Editor:
    """A client of the Debug Adapter Protocol over standard input and output."""

    def __init__(self, gdb: Gdb) -> None:
        line = [gdb.path, "-nx", "-q", "-i=dap"]
        for command in QUIET:
            line += ["-iex", command]
        line += ["-ex", f"source {BOOTSTRAP}", "-ex", "set epi frames on"]
        self._process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(),
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._number = 0

    def send(self, command: str, **arguments: Any) -> int:
        self._number += 1
        message = {"seq": self._number, "type": "request", "command": command}
        body = json.dumps({**message, "arguments": arguments}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()
        return self._number

    def answer(self, number: int) -> Any:
        assert self._process.stdout is not None
        while True:
            size = 0
            while line := self._process.stdout.readline().strip():
                size = int(line.partition(b":")[2])
            assert size, "GDB ended"
            message = json.loads(self._process.stdout.read(size))
            if message["type"] == "response" and message["request_seq"] == number:
                assert message["success"], message
                return message.get("body")

    def ask(self, command: str, **arguments: Any) -> Any:
        return self.answer(self.send(command, **arguments))

    def close(self) -> None:
        self._process.kill()
        self._process.wait(TIMEOUT)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


def test_an_editor_shows_python_frames_scopes_and_variables(gdb: Gdb, nested: Made) -> None:
    if int(gdb.version.partition(".")[0]) < 18:
        pytest.skip("DAP opens cores since GDB 18")
    editor = Editor(gdb)
    try:
        editor.ask("initialize", adapterID="test")
        attached = editor.send("attach", program=str(nested.executable), coreFile=str(nested.core))
        editor.send("configurationDone")
        editor.answer(attached)
        (thread,) = editor.ask("threads")["threads"]
        frames = editor.ask("stackTrace", threadId=thread["id"])["stackFrames"]
        python = [f for f in frames if str(f.get("source", {}).get("path")).endswith(".py")]
        names = [name for name, _ in frames_of(nested)]
        shown = [frame["name"].rpartition(".")[2] for frame in python]
        # One frame runs a text that is no file: its name says so.
        assert shown == [*names[:2], *names[3:]]
        assert any(frame["name"] == "<module> (<string>)" for frame in frames)
        assert all(frame["line"] > 0 for frame in python)
        handler = next(f for f in python if f["name"].endswith("on_c_signal"))
        scopes = editor.ask("scopes", frameId=handler["id"])["scopes"]
        values = {}
        for scope in scopes:
            if scope["name"] in ("Arguments", "Locals"):
                reference = scope["variablesReference"]
                variables = editor.ask("variables", variablesReference=reference)["variables"]
                values[scope["name"]] = {v["name"]: v["value"] for v in variables}
        assert values["Arguments"] == {"number": "12"}
        assert values["Locals"]["way"].startswith("Way(name='raise'")
    finally:
        editor.close()
