# SPDX-License-Identifier: Apache-2.0
"""`set epi ...`, `show epi`, `info epi`, and the pretty-printers behind `set epi printers on`."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from driver import BOOTSTRAP, Gdb, run_gdb, with_epi
from support.cores import Made
from support.interpreters import discover
from support.opening import core_of, libpython_of, made_or_skip, target_of

WITH_DWARF = [i for i in discover() if i.dwarf and i.root is None and i.id.startswith("pyenv")]
# The values of both kinds of printer differ in the address before the text.
OBJECT = '((PyObject *) $epi_local("numbers"))'
OURS = re.compile(r"= 0x[0-9a-f]+ \[10, 20, 30\]")
LIBPYTHONS = "= [10, 20, 30]"


PARAMS = [
    pytest.param(i, id=i.id, marks=[] if i == WITH_DWARF[-1] else [pytest.mark.heavy])
    for i in WITH_DWARF
]


@pytest.fixture(scope="module", params=PARAMS)
def spoken(request: pytest.FixtureRequest) -> Made:
    return made_or_skip(request.param, "spoken")


def answers(text: str) -> list[str]:
    return re.findall(r"^\$\d+ (= .*)$", text, re.MULTILINE)


def test_print_shows_objects_and_structs(gdb: Gdb, spoken: Made) -> None:
    commands = (
        "epi frame 1", 'set $p = (PyObject *) $epi_local("numbers")',
        "print $p", "set epi printers on", "print $p", "print *$p", "print/r $p",
        "print (PyListObject *) $p", "print (PyVarObject *) $p", "print $p->ob_type",
        "print (PyObject *) 0", "print (PyObject *) 16", "print *(int *) $p", "print (void *) $p",
        'print (PyObject *) $epi_local("password")', "set epi width 2", "print $p",
        "set epi printers off", "print $p",
    )  # fmt: skip
    done = run_gdb(gdb, *with_epi(*commands), exe=spoken.executable, core=spoken.core)
    assert "Python Exception" not in done.text and "hunter2" not in done.text
    shown = answers(done.stdout)
    assert len(shown) == 14, done.text
    assert re.fullmatch(r"= \(PyObject \*\) 0x[0-9a-f]+", shown[0])
    for at in (1, 2, 4, 5):
        assert OURS.fullmatch(shown[at]), shown
    assert shown[3] == shown[0] == shown[13]
    assert shown[6].endswith("<class 'list'>") and "list" in shown[6]
    assert shown[7] in ("= 0x0", "= (PyObject *) 0x0")
    assert shown[8].endswith("0x10")
    assert shown[9][2:].lstrip("-").isdecimal() and "[10" not in shown[10]
    assert shown[11].endswith("<masked str>")
    assert shown[12].endswith("[10, 20, ...]"), shown


def test_libpython_goes_first(gdb: Gdb, spoken: Made) -> None:
    """Whichever was registered first."""
    ours, theirs = "set epi printers on", f"source {libpython_of(spoken)}"
    show = (f"print {OBJECT}", f"print *{OBJECT}")
    commands = ("epi frame 1", ours, theirs, *show, "set epi printers off", ours, *show)
    done = run_gdb(gdb, *with_epi(*commands), exe=spoken.executable, core=spoken.core)
    shown = answers(done.stdout)
    assert [shown[0], shown[2]] == [LIBPYTHONS] * 2, done.text
    assert OURS.fullmatch(shown[1]) and OURS.fullmatch(shown[3]), done.text


@pytest.mark.heavy
def test_beside_an_auto_loaded_libpython(gdb: Gdb, spoken: Made) -> None:
    folder = libpython_of(spoken).parent
    auto = ("-iex", "set auto-load python-scripts on", "-iex", f"set auto-load safe-path {folder}")
    commands = (
        "epi frame 1", "set epi printers on", f"print {OBJECT}", "py-bt", "epi bt 3", "info epi",
    )  # fmt: skip
    done = run_gdb(
        gdb, *with_epi(*commands), words=auto, exe=spoken.executable, core=spoken.core
    )  # fmt: skip
    assert answers(done.stdout) == [LIBPYTHONS], done.text
    assert "internal error" not in done.text


def test_settings_are_defaults_and_options_win(gdb: Gdb) -> None:
    made = core_of("spoken")
    commands = (
        "epi frame 1", "set epi limit 2", "epi bt", "epi bt --limit 3", "set epi width 1",
        "epi print numbers", "epi print --width 2 numbers", "set epi limit 0", "epi bt 99",
        "epi gc", "show epi limit", "show epi width", "show epi", f"source {BOOTSTRAP}",
        "show epi width",
    )  # fmt: skip
    done = run_gdb(gdb, *with_epi(*commands), exe=made.executable, core=made.core)
    stacks = done.stdout.split("MainThread (thread ")[1:4]
    rows = [len(re.findall(r"^ +(?:#\d+ +)?(?:py|C) ", stack, re.MULTILINE)) for stack in stacks]
    assert rows[:2] == [2, 3] and rows[2] > 3, done.text
    assert "numbers = [10, ...]\n" in done.stdout and "numbers = [10, 20, ...]\n" in done.stdout
    assert "How many lines, objects or places are shown: each command's own.\n" in done.stdout
    assert done.stdout.count("How many items of a container are shown: 1.\n") == 2, "kept"
    for name, value in (
        ("printers", "off"),
        ("width", "1"),
        ("color", "auto"),
        ("sysroot", "none"),
    ):
        assert f"epi {name}: {value}\n" in done.stdout


def test_info_epi_is_short(gdb: Gdb) -> None:
    made = core_of("spoken")
    done = run_gdb(gdb, *with_epi("info epi", "info epi x"), exe=made.executable, core=made.core)
    shown = done.stdout[done.stdout.index("gdb-epi ") :].splitlines()
    assert len(shown) <= 10 and f"GDB {gdb.version}" in shown[0]
    assert "layout from " in " ".join(shown) and "found by " in " ".join(shown)
    assert max(map(len, shown)) <= 100
    assert shown[-1].startswith("settings: frames off, printers off, color auto")
    assert "info epi takes no arguments" in done.stderr
    done = run_gdb(gdb, *with_epi("info epi"))
    assert "no process and no core is loaded" in done.stdout


def test_files_are_found_by_build_id(gdb: Gdb, tmp_path: Path) -> None:
    """A core of another distribution; its files lie in a store, under their build-ids alone."""
    foreign = [i for i in discover() if i.root is not None and i.minor >= (3, 13)]
    if not foreign:
        pytest.skip("no 3.13 of another distribution: tests/tools/fetch_interpreters.py fetches it")
    made = made_or_skip(foreign[0], "spoken")
    for module in target_of(made).modules():
        if module.build_id is not None and isinstance(module.file, str):
            folder = tmp_path / ".build-id" / module.build_id[:2]
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(module.file, folder / module.build_id[2:])
    commands = (f"set epi sysroot {tmp_path}", f"core-file {made.core}", "epi bt")
    done = run_gdb(gdb, *with_epi(*commands, "epi doctor --json"))
    document = json.loads(done.stdout[done.stdout.index("\n{") :])
    objects = [m for m in document["modules"] if m["path"].startswith("/")]
    assert len(objects) >= 4 and {m["file"] for m in objects} == {"matches"}, done.text
    if int(gdb.version.partition(".")[0]) >= 18:  # GDB asks us for what it misses
        assert {m["gdb"] for m in objects} == {"matches"}, done.text
        assert re.search(r"^ +#2 +py +<module>", done.stdout, re.MULTILINE)
        assert re.search(r"^ +C +.*python3", done.stdout, re.MULTILINE)
    assert "Python Exception" not in done.text


def test_auto_means_off_for_a_program_that_speaks_mi(gdb: Gdb) -> None:
    ours = "sum(getattr(p, 'name', '') == 'epi' for p in gdb.pretty_printers)"
    ask = f"python print('PRINTERS', {ours}, gdb.parameter('epi printers'))"
    done = run_gdb(gdb, *with_epi(ask, "set epi printers auto", ask), words=("-i=mi",))
    printed = re.findall(r"PRINTERS (\d) (\w+)", done.stdout)
    assert printed == [("0", "off"), ("0", "auto")], done.text


SELECT = """
frame = gdb.newest_frame()
while frame is not None:
    try:
        if not frame.read_var("tstate").is_optimized_out:
            break
    except ValueError:
        pass
    frame = frame.older()
frame.select()
"""


def test_structs_of_every_version(gdb: Gdb, spoken: Made, tmp_path: Path) -> None:
    """Thread states, interpreters, frames, code, types: what each version calls them."""
    script = tmp_path / "select.py"
    script.write_text(SELECT)
    function = '((PyFunctionObject *) $epi_local("__main__.work"))'
    fields = ("frame", "cframe->current_frame", "current_frame")  # 3.8, 3.11, 3.13
    commands = (
        f"source {script}", "set epi printers on", "print tstate", "print tstate->interp",
        f"print (PyCodeObject *) {function}->func_code",
        'print (PyTypeObject *) $epi_local("int")', 'print *(PyTypeObject *) $epi_local("int")',
        'print (PyLongObject *) $epi_local("sys.maxsize")',
        *(f"print tstate->{field}" for field in fields),
    )  # fmt: skip
    done = run_gdb(gdb, *with_epi(*commands), exe=spoken.executable, core=spoken.core)
    texts = [re.sub(r"^= 0x[0-9a-f]+ ", "", answer) for answer in answers(done.stdout)]
    assert re.match(r"thread state of MainThread \(thread \d+\), crashed", texts[0]), done.text
    assert texts[1] == "interpreter 0, 1 thread state"
    assert re.match(r"<code object work at 0x\w+, file .*spoken\.py", texts[2])
    assert texts[3:6] == ["<class 'int'>", "<class 'int'>", str((1 << 63) - 1)]
    (frame,) = texts[6:]
    assert re.match(r"(<frame at 0x\w+, file .*code die>|frame of die at )", frame), done.text


@pytest.mark.parametrize("first", ["bt 6", "frame 4"])
def test_printers_leave_the_frame_alone_that_gdb_prints(gdb: Gdb, first: str) -> None:
    """GDB 12 to 16 end when their threads are switched while they print a frame."""
    if not WITH_DWARF:
        pytest.skip("no CPython of pyenv with debug information on this root")
    made = made_or_skip(WITH_DWARF[-1], "threads")
    commands = ("set epi printers on", first, "info locals", "thread apply all -q bt 6", "epi bt 2")
    done = run_gdb(gdb, *with_epi(*commands), exe=made.executable, core=made.core)
    assert done.returncode == 0 and "internal" not in done.stderr, done.text
    assert done.stdout.count("<built-in ") > 5, done.text
