# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi sign` against `gdb-epi triage`: texts that real tools made of real crashes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support import zoo
from support.cores import PROGRAMS, CoreFailed, Made, find_core, make_core, why_no_core_dumps
from support.interpreters import Interpreter, discover
from support.shell import Shell
from support.texts import SYSTEM_GDB, backtrace, gdb_plugin, other_gdb, run_gdb

# One of each format: names of frames, frames of the eval loop, dumps of faulthandler.
WANTED = ("pyenv-3.8.18", "pyenv-3.12.1", "pyenv-3.13.0", "forky-3.15.0")
KEYS = ("strict", "stable", "coarse", "python", "native")


def chosen() -> list[Interpreter]:
    return [interpreter for interpreter in discover() if interpreter.id in WANTED]


def core_of(interpreter: Interpreter, program: str) -> Made:
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    try:
        return make_core(interpreter, program)
    except CoreFailed as error:
        pytest.skip(f"the program left no core: {error}")


def triaged(shell: Shell, made: Made, native: str) -> dict[str, Any]:
    words = ["triage", made.core, "--no-db", "--format", "json", "--native", native]
    root = ["--sysroot", made.sysroot] if made.sysroot else []
    done = shell(*words, *root, "--exe", made.executable)
    assert done.code == 0, done.err
    return done.records[0]["signature"]


def signed(shell: Shell, text: bytes, *words: str) -> dict[str, Any]:
    done = shell("sign", "--json", *words, stdin=text)
    assert done.code == 0, done.err
    (signature,) = done.records
    return signature["signature"]


@pytest.mark.parametrize("interpreter", chosen(), ids=lambda i: i.id)
@pytest.mark.parametrize("program", ["faulting-segv", "faulting-abort"])
def test_a_faulthandler_dump_has_the_python_key_of_its_core(
    shell: Shell, interpreter: Interpreter, program: str
) -> None:
    made = core_of(interpreter, program)
    core = triaged(shell, made, "never")
    # The dump names files as the process saw them; the sources lie elsewhere below a root.
    inside = str(interpreter.inside(made.folder)).encode()
    text = (made.folder / "fault.txt").read_bytes().replace(inside, str(made.folder).encode())
    version = ("--python", f"3.{interpreter.minor[1]}")
    text_key = signed(shell, text, "--sources", *version)
    # Only the core tells the kind of fault; triage may not find it behind faulthandler's handler.
    category = core["category"] if core["category"].startswith("segv-") else "segv-null"
    frames = core["text"]["python"].split(" ", 3)[3]
    if program == "faulting-segv":
        assert "python" not in text_key["keys"], "the text tells no fault address"
        assert text_key["candidates"]["python"][category]["text"].split(" ", 3)[3] == frames
        text_key = signed(shell, text, "--sources", "--category", category, *version)
        assert text_key["text"]["python"] == f"gsig/2 python {category} {frames}"
    else:
        assert text_key["keys"]["python"] == core["keys"]["python"]
        assert text_key["text"]["python"] == core["text"]["python"]
    assert set(text_key["absent"]) == {"exact", "strict", "stable", "coarse", "native", "code"}
    # Without the sources names are plain: right before 3.11, said to be inferred from then on.
    options = ("--category", category) if program == "faulting-segv" else ()
    plain = signed(shell, text, *options, *version)
    same = plain["text"]["python"].split(" ", 3)[3] == frames
    assert same == (interpreter.minor < (3, 11))
    names_are_plain = any("plain names" in why for why in plain["inferred"]["python"])
    assert names_are_plain == (interpreter.minor >= (3, 11))


@pytest.mark.parametrize("interpreter", chosen()[:2], ids=lambda i: i.id)
def test_a_backtrace_has_the_keys_of_its_core(shell: Shell, interpreter: Interpreter) -> None:
    """Native frames alone give `native`; with `py-bt` all but `exact` are there."""
    plugin = gdb_plugin(interpreter)
    if plugin is None:
        pytest.skip(f"{SYSTEM_GDB} or python-gdb.py of {interpreter.id} is not here")
    made = core_of(interpreter, "simple-string-at")
    core = triaged(shell, made, "always")
    text = backtrace(made, "p $_siginfo", "bt")
    signature = signed(shell, text)
    assert signature["category"] == core["category"] == "segv-null"
    assert signature["text"] == {"native": core["text"]["native"]}
    assert all(
        "Python" in signature["absent"][key] for key in ("strict", "stable", "coarse", "python")
    )
    whole = signed(shell, backtrace(made, "p $_siginfo", "bt", "py-bt", plugin=plugin), "--sources")
    equal = [key for key in KEYS if whole["text"].get(key) == core["text"][key]]
    # Some builds of 3.11 run `_start` code through the loop twice: then `strict` says so.
    missing = set(KEYS) - set(equal)
    assert missing <= {"strict"}, (whole["text"], core["text"])
    assert all("does not tell which" in whole["absent"][key] for key in missing)


def test_thread_apply_all_bt_full_says_the_same(shell: Shell) -> None:
    interpreters = [interpreter for interpreter in discover() if interpreter.id == "pyenv-3.11.7"]
    if not interpreters or not Path(SYSTEM_GDB).exists():
        pytest.skip("pyenv's 3.11.7 and /usr/bin/gdb are not both here")
    made = core_of(interpreters[0], "worker-memmove")
    core = triaged(shell, made, "always")
    ways = (("80", "thread apply all bt full", SYSTEM_GDB), ("0", "bt full", other_gdb()))
    for width, command, gdb in ways:
        text = backtrace(made, f"set width {width}", "p $_siginfo", command, gdb=gdb)
        signature = signed(shell, text, "--category", core["category"])
        assert signature["text"]["native"] == core["text"]["native"], command
        assert signature["thread"]["tid"] in (core["thread"]["tid"], None)


def test_names_of_cxx_are_those_of_the_core(shell: Shell, tmp_path: Path) -> None:
    """A text has them demangled, a core mangled. Without Python every key but `exact` is there."""
    if shutil.which("g++") is None or not Path(SYSTEM_GDB).exists():
        pytest.skip("g++ or /usr/bin/gdb is not here")
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    source = PROGRAMS / "cxx_names.cc"
    program = tmp_path / "cxx_names"
    subprocess.run(["g++", "-g", "-O0", "-o", program, source], check=True, capture_output=True)
    start = ["sh", "-c", 'ulimit -c unlimited; exec "$1"', "sh", str(program)]
    subprocess.run(start, cwd=tmp_path, capture_output=True)
    (core,) = find_core(tmp_path)
    done = shell("triage", core, "--no-db", "--format", "json", "--exe", program)
    wanted = done.records[0]["signature"]["text"]
    signature = signed(shell, run_gdb(SYSTEM_GDB, program, core, "p $_siginfo", "bt"))
    assert "outer::{anon}::Box<T>::operator() <- outer::deep<T>" in wanted["stable"]
    for key in ("strict", "stable", "coarse", "native"):
        assert signature["text"][key] == wanted[key]


def test_a_failed_assertion_has_the_keys_of_its_core(shell: Shell, tmp_path: Path) -> None:
    """The function that asserts was inlined and is no frame; glibc's message names it (N65)."""
    if shutil.which("gcc") is None or not Path(SYSTEM_GDB).exists():
        pytest.skip("gcc or /usr/bin/gdb is not here")
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    case = zoo.Case(zoo.Build("c", "symtab"), "assert_static")
    driver = zoo.make_driver(tmp_path)
    run = tmp_path / "run"
    run.mkdir()
    core = zoo.crash(case, zoo.make_build(case.build, tmp_path), driver, run)
    done = shell("triage", core, "--no-db", "--format", "json", "--exe", driver)
    wanted = done.records[0]["signature"]["text"]
    text = run_gdb(SYSTEM_GDB, driver, core, "p $_siginfo", "bt")
    signature = signed(shell, text)
    # Only a libc with debug information shows the arguments of its functions.
    has_functions = b"function=" in text
    for key in ("strict", "stable", "coarse", "native"):
        if has_functions:
            assert signature["text"][key] == wanted[key], key
        else:  # of Debian 13 not even the function that asserts: then there is no category
            assert signature["inferred"].get(key) or "has no name" in signature["absent"][key], key


def test_no_crash_in_the_text(shell: Shell) -> None:
    done = shell("sign", stdin=b'hello\nTraceback (most recent call last):\n  File "x", line 1\n')
    assert done.code == 3 and "no crash in the text" in done.err
    assert len(done.err.splitlines()) == 1


def test_text_output_names_reasons(shell: Shell) -> None:
    text = b"Fatal Python error: Aborted\n\nCurrent thread 0x00007f00 (most recent call first):\n"
    text += b'  File "/srv/app.py", line 3 in f\n  File "/srv/app.py", line 9 in <module>\n'
    done = shell("sign", "--explain", stdin=text)
    assert done.code == 0, done.err
    assert "gsig/2 python abort py:__main__.f <- py:__main__.<module>" in done.out
    why = "faulthandler prints no native frames"
    assert f"  no key strict, stable, coarse, native, code: {why}\n" in done.out
    assert done.out.count(why) == 1
    assert "not the same as a core's when: plain names" in done.out


def test_where_the_kind_of_crash_is_open_the_screen_says_what_decides_it(shell: Shell) -> None:
    """It printed 14 keys below each of three names, and no next step."""
    text = b"Fatal Python error: Segmentation fault\n\n"
    text += b'Current thread 0x00007f00 (most recent call first):\n  File "/a.py", line 3 in f\n'
    done = shell("sign", stdin=text)
    assert len(done.out.splitlines()) <= 8 and "segv-guard" not in done.out
    assert "p $_siginfo" in done.out and "dmesg" in done.out
    decided = shell("sign", "--category", "segv-null", stdin=text)
    (line,) = (line for line in decided.out.splitlines() if line.startswith("  python "))
    whole = shell("sign", "--explain", stdin=text)
    row = next(line for line in whole.out.splitlines() if line.split()[:1] == ["segv-null"])
    assert row.split()[1] == line.split()[1]


def test_wrong_category(shell: Shell) -> None:
    done = shell("sign", "--category", "segv-nul")
    assert done.code == 2 and "no category" in done.err


def test_json_is_ascii_lines(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    dump = "Fatal Python error: Aborted\n\nCurrent thread 0x00 (most recent call first):\n"
    path.write_text(
        "".join(dump + f'  File "/srv/caf{n}\\xe9.py", line 3 in f\n\n' for n in range(3))
    )
    done = shell("sign", path, "--json")
    signatures = [json.loads(line) for line in done.out.splitlines()]
    assert [item["line"] for item in signatures] == [1, 6, 11]
    assert signatures[0]["signature"]["text"]["python"].endswith("py:caf0é.f")


def test_a_core_is_no_text(shell, core):
    done = shell("sign", core)
    assert (done.code, done.out) == (3, "")
    assert done.err == f"gdb-epi: {core}: a core, not a text; try: gdb-epi triage {core}\n"
