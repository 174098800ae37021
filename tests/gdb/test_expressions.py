# SPDX-License-Identifier: Apache-2.0
"""Names, paths and expressions of GDB in `epi print`, `epi refs` and `$epi_...`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from driver import Gdb, read_json, run_gdb, with_epi
from support.cores import Made
from support.interpreters import Interpreter, discover, own_interpreters
from support.locks import lock_programs
from support.opening import made_or_skip, need_core_dumps

OWN = [i for i in discover() if i.root is None and not i.free_threaded and not i.debug]
WITH_DWARF = [i for i in OWN if i.dwarf][-1:]
STRIPPED = sorted((i for i in OWN if i.stripped), key=lambda i: not i.id.startswith("debian"))[:1]
PATHS = {
    "numbers": "[10, 20, 30]",
    "numbers[-1]": "30",
    "order.parts['wheel'][1]": "'right'",
    "largest": "1208925819614629174706176",
    "xml.dom.minidom.Node.ELEMENT_NODE": "1",  # no global: by sys.modules
    "__main__.LOCK['held']": "[1, 2]",
    "$kept": "[10, 20, 30]",
    "$kept[1]": "20",
    "((PyObject *) $kept)[2]": "30",
    "(PyObject *) $kept": "[10, 20, 30]",
    "$int_kept + 0": "[10, 20, 30]",
    "password": "<masked str>",
    "$secret": "<masked str>",
}
KEPT = (
    "epi frame 1",
    'set $kept = $epi_local("numbers")',
    "set $int_kept = (unsigned long) $kept",
    'set $secret = $epi_local("password")',
)
NO_SYMBOL = 'GDB says: No symbol "absent" in current'
NO_DEBUG_INFORMATION = "GDB knows no names of C here: no file has debug information"
REFUSED = {
    "epi print $_siginfo": "is of the C type struct siginfo and has no address",
    "epi print $nothing": "is of the C type void: no object of Python",
    "epi print numbers = 3": "nothing is assigned here",
    "epi print $pc(": "A syntax error in expression",
    "epi print absent": f"no variable absent of Python; {NO_SYMBOL}",
    "epi print absent.x": "no variable absent of Python",
    "epi print xml.dom.absent": "xml.dom has no attribute absent",
    "epi print (char) 5": "is of the C type char: no object of Python",
    "epi refs 0x7": "cannot be the address of an object",
    'print $epi_repr("absent")': "no variable absent of Python",
    "print $epi_repr(16)": "the argument is of the C type int",
    "print $epi_repr((long) 16)": "cannot decode an object at 0x10",
    "print $epi_type()": "$epi_type takes 1 argument",
    "print $epi_local(1)": '$epi_local takes a string: $epi_local("x")',
}


@pytest.fixture(params=[*WITH_DWARF, *STRIPPED], ids=lambda interpreter: interpreter.id)
def spoken(request: pytest.FixtureRequest) -> Made:
    interpreter: Interpreter = request.param
    return made_or_skip(interpreter, "spoken")


EXPRESSIONS = {
    "$epi_repr($kept)": '"[10, 20, 30]"',
    '$epi_repr("order.parts")': "\"{'wheel': ('left', 'right')}\"",
    '$epi_type("order")': '"__main__.Order"',
    "$epi_type($int_kept)": '"list"',
    "$epi_line()": "25",
    "$epi_func()": '"work"',
    '$_streq($epi_func(), "work") && $epi_line() > 20': "1",
    "$epi_repr($secret)": '"<masked str>"',
    '$epi_repr("settings")': "\"{'name': 'visible', 'api_key': <masked str>}\"",
    '(unsigned long) $epi_local("numbers") == $int_kept': "1",
}


def test_names_expressions_and_functions(gdb: Gdb, spoken: Made) -> None:
    paths = [f"epi print {path}" for path in PATHS]
    functions = [f"print {expression}" for expression in (*EXPRESSIONS, "$epi_file()")]
    refused = [word for command in REFUSED for word in ("echo \\n", command)]
    done = run_gdb(
        gdb, *with_epi(*KEPT, *paths, *functions, "epi refs numbers", "epi refs $kept", *refused),
        "up 100", "epi print len",  # no frame of Python
        exe=spoken.executable, core=spoken.core,
    )  # fmt: skip
    lines = [line.partition(" = ") for line in done.stdout.splitlines()]
    assert {path: text for path, _, text in lines if path in PATHS} == PATHS, done.text
    references = re.findall(r"^(\d+) references? to \[10, 20, 30\]$", done.stdout, re.MULTILINE)
    assert len(references) == 2 and references[0] == references[1] > "0"
    assert "local numbers of frame 1" in done.stdout
    expected = [*EXPRESSIONS.values(), f'"{spoken.folder}/spoken.py"']
    assert re.findall(r"^\$\d+ = (.*)$", done.stdout, re.MULTILINE) == expected, done.text
    if spoken.interpreter.stripped and NO_DEBUG_INFORMATION in done.stderr:  # libc may have some
        assert f"no variable absent of Python; {NO_DEBUG_INFORMATION}; try: epi locals" in done.text
        assert "GDB says: No symbol" not in done.text
    for command, why in REFUSED.items():
        if NO_SYMBOL in why and spoken.interpreter.stripped and NO_DEBUG_INFORMATION in done.stderr:
            continue
        assert any(why in line for line in done.stderr.splitlines()), (why, done.text)
    assert "Traceback" not in done.text and "internal error" not in done.text
    assert "len = <built-in function len>" in done.stdout
    assert "hunter2" not in done.text


def test_c_variables_and_structs(gdb: Gdb, tmp_path: Path) -> None:
    """In CPython's own functions, whose variables debug information names."""
    if not WITH_DWARF:
        pytest.skip("no CPython with debug information on this root: pyenv builds one")
    made = made_or_skip(WITH_DWARF[0], "spoken")
    script = tmp_path / "select.py"
    script.write_text(
        "frame = gdb.newest_frame()\n"
        "while frame.name() != '_PyEval_Vector':\n    frame = frame.older()\n"
        "frame.select()\n"
    )
    commands = (
        f"source {script}", "epi print tstate", "epi print tstate->interp", "epi print func",
        "epi print func.__class__", "epi print *func",
        "print $epi_repr(tstate)", "epi refs tstate",
    )  # fmt: skip
    done = run_gdb(gdb, *with_epi(*commands), exe=made.executable, core=made.core)
    if "optimized out" in done.stderr:
        pytest.skip("this build keeps no variable tstate in that frame")
    assert re.search(r"^tstate = thread state of MainThread \(thread \d+\)", done.stdout, re.M), (
        done.text
    )
    assert re.search(r"^tstate->interp = interpreter 0, 1 thread state$", done.stdout, re.M)
    assert len(re.findall(r"^\*?func = <function .* at 0x", done.stdout, re.M)) == 2
    assert "func.__class__ = <class 'function'>\n" in done.stdout
    assert '= "thread state of MainThread' in done.stdout
    assert "cannot be the address of an object" in done.stderr


LOOP = """
import math
def work(i):
    a = math.sqrt(i + 1)
    b = math.sqrt(i + 2)
    return a, b
for i in range(20):
    work(i)
"""


def test_conditions_see_each_stop(gdb: Gdb, tmp_path: Path) -> None:
    """No event tells of a stop whose condition is false: nothing may be kept from it."""
    need_core_dumps()  # where there are none, processes cannot be traced either
    if not WITH_DWARF:
        pytest.skip("no CPython with debug information on this root: pyenv builds one")
    program = tmp_path / "loop.py"
    program.write_text(LOOP)
    condition = '$epi_line() == 5 && $_streq($epi_repr("i"), "17")'
    done = run_gdb(
        gdb,
        *with_epi("set breakpoint pending on", f"set args {program}"),
        f"break math_sqrt if {condition}", "run",
        'print $epi_repr("i")', "print $epi_line()", "set epi printers on", "print args",
        "set var *(char *) ($rsp - 200) = 0", "print args",
        "finish", "kill",
        words=("-iex", "unset environment PYTHONHOME"),
        exe=WITH_DWARF[0].host_executable, env={"PYTHONDONTWRITEBYTECODE": "1"},
        cwd=tmp_path,
    )  # fmt: skip
    if "Operation not permitted" in done.stderr:
        pytest.skip("ptrace is not permitted here")
    shown = re.findall(r"\$\d+ = (.*)$", done.stdout, re.MULTILINE)
    assert shown[:2] == ['"17"', "5"], done.text
    # Printers work while GDB prints a stop, and of memory that was written to since.
    assert [text.partition(" ")[2] for text in shown[2:]] == ["19", "19", "4.358898943540674"]


def test_names_that_commands_print_can_be_typed_back(one_gdb: Gdb, tmp_path: Path) -> None:
    interpreter = next(i for i in own_interpreters() if i.minor >= (3, 11))
    program = next(p for p in lock_programs() if p.name == "locks-dead-self")
    made = made_or_skip(interpreter, program)
    files = {name: tmp_path / name for name in ("locks", "modules", "find", "refs")}
    commands = {
        "locks": "epi locks",
        "modules": "epi modules --all --limit 2000",
        "find": "epi find type --limit 40",
        "refs": "epi refs sys.modules",
    }
    asked = [f"{commands[name]} --json --output {file}" for name, file in files.items()]
    run_gdb(one_gdb, *with_epi(*asked), exe=made.executable, core=made.core)
    names: dict[str, int] = {}
    for wait in read_json(files["locks"])["waits"]:
        if wait["name"]:
            names[wait["name"]] = int(wait["object"], 16)
    modules = read_json(files["modules"])["interpreters"][0]["modules"]
    for module in modules[:: max(1, len(modules) // 20)]:
        names[module["name"]] = int(module["address"], 16)
    module_names = {module["name"] for module in modules}
    for listed in read_json(files["find"])["objects"]:
        name = re.fullmatch(r"<class '([\w.]+)'>", listed["text"])
        if name is not None and listed["type"] == "type" and name[1] not in module_names:
            names[name[1]] = int(listed["address"], 16)
    for reference in read_json(files["refs"])["references"]:
        if reference["holder"]:
            names[reference["holder"]] = int(reference["holder"], 16)
    assert len(names) > 30 and "__main__.A" in names
    back = tmp_path / "back"
    words = [f"epi print {name} --json --output {back}{n}" for n, name in enumerate(names)]
    done = run_gdb(one_gdb, *with_epi(*words), exe=made.executable, core=made.core)
    wrong = {
        name: address
        for n, (name, address) in enumerate(names.items())
        if not Path(f"{back}{n}").exists()
        or int(read_json(Path(f"{back}{n}"))["address"], 16) != address
    }
    assert not wrong, (wrong, done.stderr)
