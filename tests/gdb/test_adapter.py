# SPDX-License-Identifier: Apache-2.0
"""The `epi` command in a real GDB: nothing that a user types may end GDB, and codes are told."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest
from driver import BOOTSTRAP, ROOT, Done, Gdb, environment, read_json, run_gdb, with_epi
from support.cores import Made
from support.shell import read_terminal

from gdb_epi.loader import load_commands
from gdb_epi.registry import COMMANDS, Command

ALIVE = "python print('ALIVE')"
STATUS = "python print('STATUS', int(gdb.convenience_variable('epi_status')))"


def on_core(gdb: Gdb, made: Made, *commands: str, **options: object) -> Done:
    """Run commands on a core, with gdb-epi loaded."""
    words = with_epi(*commands)
    return run_gdb(gdb, *words, exe=made.executable, core=made.core, **options)  # type: ignore[arg-type]


def statuses(done: Done) -> list[int]:
    """Return what STATUS printed each time."""
    return [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("STATUS")]


# -- GDB lives on ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "epi doctor --no-such-option",
        "epi bt --limit many",
        "epi bt extra words",
        "epi nosuch",
        "epi doctor --output",
        'epi doctor "unbalanced',
    ],
)
def test_wrong_usage_is_one_line_and_gdb_lives(gdb: Gdb, line: str) -> None:
    done = run_gdb(gdb, *with_epi(line, ALIVE, STATUS))
    assert "ALIVE" in done.stdout, done.text
    assert statuses(done) == [2], done.text
    assert len(done.stderr.strip().splitlines()) == 1, done.text
    assert "Traceback" not in done.text


def test_help_option_and_help_command(gdb: Gdb) -> None:
    done = run_gdb(gdb, *with_epi("epi bt --help", STATUS, "help epi bt", "help epi", "epi"))
    assert statuses(done) == [0], done.text
    assert done.stdout.count("every thread, not only the selected one") == 2
    assert "epi doctor -- " in done.stdout
    assert done.stdout.count("--output FILE") >= 2


def test_every_command_has_help_that_names_its_options(gdb: Gdb, tmp_path: Path) -> None:
    script = tmp_path / "help.py"
    script.write_text(
        "from gdb_epi.registry import COMMANDS\n"
        "for name, command in COMMANDS.items():\n"
        "    text = gdb.execute(f'help epi {name}', to_string=True)\n"
        "    flags = [f for a in command.arguments for f in a.flags if f.startswith('--')]\n"
        "    print('HELP', name, all(f in text for f in [*flags, '--json', '--output']))\n"
        "    listed = f'epi {name} -- {text.split(chr(10))[0]}'\n"
        "    print('WIDTH', name, max(map(len, [listed, *text.split(chr(10))])))\n"
    )
    done = run_gdb(gdb, *with_epi(f"source {script}"))
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("HELP")]
    assert len(lines) >= 5, done.text
    assert all(line[2] == "True" for line in lines), done.text
    widths = [line.split() for line in done.stdout.splitlines() if line.startswith("WIDTH")]
    # GDB breaks longer lines within words, on a terminal of 80 columns.
    assert {name: width for _, name, width in widths if int(width) > 79} == {}, done.text


def test_completion(gdb: Gdb, tmp_path: Path) -> None:
    done = run_gdb(
        gdb,
        *with_epi("complete epi bt", "complete epi bt --a", "complete epi bt --all --lo"),
        cwd=tmp_path,
    )
    assert done.stdout.split("\n")[:3] == ["epi bt", "epi bt --all", "epi bt --all --locals"]
    (tmp_path / "results.json").touch()
    done = run_gdb(gdb, *with_epi("complete epi bt --output resu"), cwd=tmp_path)
    assert "epi bt --output results.json" in done.stdout


def test_nothing_loaded(gdb: Gdb) -> None:
    done = run_gdb(gdb, *with_epi("epi bt", STATUS, "epi doctor", STATUS))
    assert statuses(done) == [3, 0], done.text
    assert "no process and no core; try: core-file FILE" in done.stderr


# -- exit codes ------------------------------------------------------------------------------------


def test_exit_code_of_a_batch_script(gdb: Gdb, tmp_path: Path) -> None:
    script = tmp_path / "script.gdb"
    script.write_text(f"source {BOOTSTRAP}\nepi doctor\nepi bt\necho NOT REACHED\\n\n")
    done = run_gdb(gdb, words=("-x", str(script)))
    assert done.returncode == 1, done.text
    assert "NOT REACHED" not in done.stdout


def test_quit_with_epi_status(gdb: Gdb, tmp_path: Path) -> None:
    for command, code in (("epi doctor", 0), ("epi bt", 3), ("epi bt --bad", 2)):
        assert run_gdb(gdb, *with_epi(command, "quit $epi_status")).returncode == code
        script = tmp_path / "script.gdb"
        script.write_text(
            f"source {BOOTSTRAP}\n"
            f"python\ntry:\n  gdb.execute('{command}')\nexcept gdb.error:\n  pass\nend\n"
            "quit $epi_status\n"
        )
        assert run_gdb(gdb, words=("-x", str(script))).returncode == code


# -- output ----------------------------------------------------------------------------------------


def test_json_and_output(gdb: Gdb, threads_core: Made, tmp_path: Path) -> None:
    file = tmp_path / "a b.json"
    file.write_text("old")
    done = on_core(
        gdb,
        threads_core,
        f'epi threads --json --output "{file}"',
        "echo BEGIN\\n",
        "epi threads --json",
        "echo END\\n",
    )
    answer = read_json(file)
    printed = done.stdout.split("BEGIN\n")[1].split("END\n")[0]
    assert json.loads(printed) == answer
    assert len(answer["threads"]) >= 20
    assert file.read_bytes().endswith(b"}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["a b.json"]  # no temporary left
    assert (
        "threads"
        not in done.stdout.split("BEGIN\n")[0]
        .replace(str(tmp_path), "")
        .split("Core was generated")[0]
    )


def test_output_that_cannot_be_written(gdb: Gdb, tmp_path: Path) -> None:
    done = run_gdb(gdb, *with_epi(f"epi doctor --output {tmp_path}/no/such/file", STATUS))
    assert statuses(done) == [1], done.text
    assert "cannot write" in done.stderr
    assert "Traceback" not in done.stderr


def test_output_keeps_the_old_file_when_the_command_fails(gdb: Gdb, tmp_path: Path) -> None:
    file = tmp_path / "kept"
    file.write_text("old")
    run_gdb(gdb, *with_epi(f"epi bt --json --output {file}"))
    assert file.read_text() == "old"


def test_a_dash_is_the_output_of_gdb(gdb: Gdb, tmp_path: Path) -> None:
    done = run_gdb(gdb, *with_epi("epi doctor --output -"), cwd=tmp_path)
    assert "gdb-epi" in done.stdout and not (tmp_path / "-").exists()


def test_output_into_a_device(gdb: Gdb) -> None:
    done = run_gdb(gdb, *with_epi("epi doctor --output /dev/null", STATUS))
    assert statuses(done) == [0], done.text
    assert not Path("/dev/null").is_file()


# -- plugins ---------------------------------------------------------------------------------------

ODD = '''
import sys
from gdb_epi.errors import InputError
from gdb_epi.registry import argument, command
from gdb_epi.report import Report

@command("odd", needs="nothing", arguments=(
    argument("--at", type="address"), argument("--exit", action="store_true"),
    argument("--raise", dest="boom", action="store_true"),
    argument("--refuse", action="store_true")))
def odd(session, args):
    """Print odd text."""
    if args.exit:
        sys.exit("wanted to leave")
    if args.boom:
        raise ValueError("boom\\0 line\\nsecond")
    if args.refuse:
        name = "/a\\x1b[31m\\x1b]0;title\\x07\\x9b1m\\u202e\\udc80\\u00e9\\nline.py"
        raise InputError(f"no source {name}", hint=name)
    if args.at is not None:
        return Report("odd", lines=[f"AT {args.at:#x}"])
    row = ["nul \\0 esc \\x1b[31m", "bidi \\u202e lone \\udc80 \\u00e9"]
    return Report("odd", ("a", "b"), [row], lines=["new\\nline"], exit_code=4)
'''


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    """A copy of the package with one broken command and one odd one; its bootstrap."""
    skip = shutil.ignore_patterns("__pycache__")  # other processes write there, and rename
    shutil.copytree(ROOT / "gdb_epi", tmp_path / "gdb_epi", ignore=skip)
    shutil.copytree(ROOT / "commands", tmp_path / "commands", ignore=skip)
    (tmp_path / "commands" / "broken.py").write_text("import no_such_module\n")
    (tmp_path / "commands" / "worse.py").write_text("def (:\n")
    (tmp_path / "commands" / "odd.py").write_text("from __future__ import annotations\n" + ODD)
    return tmp_path / "gdb_epi" / "gdb_epi_bootstrap.py"


def test_broken_plugin_is_told_by_doctor_and_the_rest_works(gdb: Gdb, plugins: Path) -> None:
    done = run_gdb(gdb, f"source {plugins}", "epi doctor", "epi layout", STATUS)
    assert done.stdout.count("failed to load: gdb_epi.commands.broken: ModuleNotFound") == 1
    assert done.stdout.count("failed to load: gdb_epi.commands.worse: SyntaxError") == 1
    assert statuses(done) == [0], done.text


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_hostile_text_cannot_steer_or_stop_gdb(gdb: Gdb, plugins: Path, locale: str) -> None:
    done = run_gdb(gdb, f"source {plugins}", "epi odd", STATUS, env={"LC_ALL": locale})
    assert statuses(done) == [4], done.text
    assert r"nul \x00 esc \x1b[31m" in done.stdout
    assert r"bidi \u202e lone \udc80" in done.stdout
    assert r"new\x0aline" in done.stdout
    assert "\x1b" not in done.stdout and "\0" not in done.stdout


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_hostile_text_in_an_error_cannot_steer_or_stop_gdb(
    gdb: Gdb, plugins: Path, locale: str
) -> None:
    """`epi list` names the source file as the core does."""
    done = run_gdb(gdb, f"source {plugins}", "epi odd --refuse", STATUS, env={"LC_ALL": locale})
    assert statuses(done) == [3], done.text
    shown = r"/a\x1b[31m\x1b]0;title\x07\x9b1m\u202e\udc80"
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"no source {shown}") and f"; try: {shown}" in line
    assert line.replace("\N{LATIN SMALL LETTER E WITH ACUTE}", "").isprintable()


def test_unexpected_exception_is_one_line_with_the_versions(gdb: Gdb, plugins: Path) -> None:
    done = run_gdb(gdb, f"source {plugins}", "epi odd --raise", ALIVE, STATUS)
    assert "ALIVE" in done.stdout and statuses(done) == [1], done.text
    assert "internal error in `epi odd': ValueError: boom" in done.stderr
    assert "set python print-stack full" in done.stderr
    assert f"GDB {gdb.version}" in done.stderr
    assert "Traceback" not in done.stderr
    done = run_gdb(
        gdb, f"source {plugins}", "set python print-stack full", "epi odd --raise", ALIVE
    )
    assert "ALIVE" in done.stdout and "odd.py" in done.stderr, done.text


def test_exit_inside_a_command_leaves_gdb_alive(gdb: Gdb, plugins: Path) -> None:
    done = run_gdb(gdb, f"source {plugins}", "epi odd --exit", ALIVE, STATUS)
    assert "ALIVE" in done.stdout and statuses(done) == [1], done.text
    assert "SystemExit: wanted to leave" in done.stderr


def test_exit_while_loading_leaves_gdb_alive(gdb: Gdb, plugins: Path) -> None:
    (plugins.parents[1] / "commands" / "zz.py").write_text("import sys\nsys.exit('leaving')\n")
    done = run_gdb(gdb, f"source {plugins}", ALIVE, "epi doctor", STATUS)
    assert "ALIVE" in done.stdout and statuses(done) == [0], done.text
    assert "leaving" in done.stdout


def test_address_arguments_are_gdb_expressions(gdb: Gdb, plugins: Path, threads_core: Made) -> None:
    done = run_gdb(
        gdb,
        f"source {plugins}",
        "epi odd --at $pc",
        "python print('PC', hex(int(gdb.parse_and_eval('$pc'))))",
        "epi odd --at '1 + 1'",
        "epi odd --at nonsense",
        STATUS,
        exe=threads_core.executable,
        core=threads_core.core,
    )
    pc = done.stdout.split("PC ")[1].split()[0]
    assert f"AT {pc}\n" in done.stdout
    assert "AT 0x2\n" in done.stdout
    assert statuses(done) == [2] and "nonsense" in done.stderr, done.text


# -- what the user selected ------------------------------------------------------------------------

WHERE = (
    "python print('WHERE', gdb.selected_thread().num, gdb.selected_frame().level(), "
    "hex(gdb.selected_frame().pc()))"
)


def switches(command: Command) -> list[str]:
    """Return a command's flags without a value; --emit takes long and has tests of its own."""
    on = [
        argument for argument in command.arguments if argument.options.get("action") == "store_true"
    ]
    return [flag for option in on for flag in option.flags[-1:] if flag != "--emit"]


MOVING = ("up", "down", "frame")  # these select another frame: it is what they are for


def test_selection_and_settings_survive_every_command(gdb: Gdb, threads_core: Made) -> None:
    load_commands()
    assert sorted(COMMANDS) == sorted(path.stem for path in (ROOT / "commands").glob("[a-z]*.py"))
    commands = [
        f"epi {name} {flag} --output /dev/null"
        for name, command in COMMANDS.items() if name not in ("push", *MOVING)
        for flag in ("", *switches(command))
    ]  # fmt: skip
    shown = "gdb.execute('show', to_string=True).splitlines()"
    settings = f"python settings = lambda: [line for line in {shown} if '$' not in line]"
    same = "python print('SAME', before == settings(), len(before))"
    done = on_core(
        gdb,
        threads_core,
        "thread 3",
        "frame 2",
        settings,
        "python before = settings()",
        WHERE,
        *commands,
        WHERE,
        same,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("WHERE")]
    assert len(lines) == 2 and lines[0] == lines[1], done.text
    assert lines[0].split()[1:3] == ["3", "2"]
    assert "SAME True" in done.stdout, done.text
    assert "internal error" not in done.stderr, done.text


def test_another_core_is_another_session(gdb: Gdb, threads_core: Made, tmp_path: Path) -> None:
    cut = tmp_path / "cut.core"
    shutil.copy(threads_core.core, cut)
    file = tmp_path / "doctor.json"
    show = f"epi doctor --json --output {file}"
    done = on_core(gdb, threads_core, show, f"core-file {cut}", show)
    assert read_json(file)["core"]["path"] == str(cut), done.text


def test_a_core_in_a_folder_whose_name_is_not_utf8(
    gdb: Gdb, threads_core: Made, tmp_path: Path
) -> None:
    """GDB 18.1 cannot say such a path to Python."""
    folder, file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/p\xff")), tmp_path / "answer"
    folder.mkdir()
    shutil.copy(threads_core.core, folder / "core")
    show = f"epi doctor --json --output {file}"
    words = with_epi(show, "epi bt")
    done = run_gdb(gdb, *words, exe=threads_core.executable, core=folder / "core")
    assert "internal error" not in done.stderr and "MainThread" in done.stdout, done.text
    assert read_json(file)["core"]["path"] == str(folder / "core"), done.text


def test_a_sweep_says_how_far_it_is_on_a_terminal_alone(gdb: Gdb, threads_core: Made) -> None:
    command = "epi corruption --sweep --json"
    words = [*with_epi(command)]
    quiet = run_gdb(gdb, *words, exe=threads_core.executable, core=threads_core.core)
    assert " MB; Ctrl-C" not in quiet.text
    ours, theirs = pty.openpty()
    line = [gdb.path, "-batch", "-nx", "-se", threads_core.executable, "-c", threads_core.core]
    for word in words:
        line += ["-ex", word]
    done = subprocess.run(
        list(map(str, line)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
        env=environment(), timeout=120, check=False,
    )  # fmt: skip
    os.close(theirs)
    terminal = read_terminal(ours)
    assert b" MB; Ctrl-C ends it" in terminal, terminal
    assert b"MB; Ctrl-C" not in done.stdout and b"\r\x1b[K" in terminal
