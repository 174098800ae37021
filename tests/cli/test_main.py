# SPDX-License-Identifier: Apache-2.0
"""The dispatcher: verbs, help, errors, and what a start must not load."""

from __future__ import annotations

import contextlib
import subprocess
import sys

import pytest
from support.opening import need_gdb

from gdb_epi import __version__


def test_no_verb_shows_the_verbs_and_exits_2(shell):
    done = shell()
    assert (done.code, done.out) == (2, "")
    assert "triage" in done.err and "fleet" in done.err and "doctor" in done.err


@pytest.mark.parametrize("word", ["--help", "-h", "help"])
def test_help_names_every_verb(shell, word):
    done = shell(word)
    assert (done.code, done.err) == (0, "")
    for verb in ("triage", "fleet", "doctor"):
        assert f"  {verb} " in done.out
    assert "native_gdb" not in done.out and "answers" not in done.out
    commands = done.out.partition("gdb-epi NAME CORE\n")[2].partition("\n\n")[0].split()
    assert {"bt", "locks", "print"} <= set(commands) and not {"frame", "triage"} & set(commands)


def test_the_help_of_a_command_of_gdb_needs_no_gdb(shell):
    done = shell("locks", "--help")
    assert (done.code, done.err) == (0, "") and done.out.startswith("usage: gdb-epi locks ")
    assert "CORE" in done.out and "--graph" in done.out and "`gdb-epi triage CORE`" in done.out


def test_a_page_is_shown_without_a_core(shell):
    """`gdb-epi explain R15` looked for a file of that name."""
    done = shell("explain", "R15")
    assert (done.code, done.err) == (0, "") and done.out.splitlines()[0].endswith(" (R15)")
    assert "gdb-epi explain R15 --all" in done.out and "`gdb-epi seen CORE`" in done.out
    assert "Weight: " in shell("explain", "--all", "R15").out
    assert shell("explain").out.endswith("gdb-epi explain --all\n")
    done = shell("explain", "R99")
    assert (done.code, done.err.partition("; ")[2]) == (2, "try: gdb-epi explain --all\n")


@pytest.mark.parametrize("words", [["host-facts"], ["triage", "--no-db", "--native", "never"]])
def test_a_dash_is_standard_output(shell, cores, words):
    words = [*words, cores[0]] if words[0] == "triage" else words
    done = shell(*words, "--output", "-")
    assert done.code == 0 and len(done.out.splitlines()) > 5
    assert not (shell.folder / "-").exists()


def test_version(shell):
    assert shell("--version").out == f"gdb-epi {__version__}\n"


def test_a_command_of_gdb_runs_on_a_core(shell, core):
    need_gdb()
    done = shell("print", core, "sys.path")
    assert done.code == 0, done.err
    assert done.out.startswith("sys.path = ['/srv/app/null-deref-ctypes', ")
    done = shell("print", core, "no_such_name")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("gdb-epi: no variable no_such_name of Python")
    assert done.err.endswith(f"; try: gdb-epi locals {core}\n")
    done = shell("print", core, "sys", "--no-such")
    assert done.err.startswith("gdb-epi: print: unrecognized arguments")
    assert done.err.endswith("; try: gdb-epi print --help\n")
    assert shell("bt", core, "--json").out.startswith("{")
    done = shell("locks", core, "--sysroot", "/", "--sysroot", "/tmp")
    assert (done.code, "locks takes one --sysroot" in done.err) == (2, True)
    done = shell("locks", "/nowhere/core")
    assert (done.code, done.err.partition(";")[0]) == (3, "gdb-epi: /nowhere/core: no such file")


@pytest.mark.parametrize("word", ["nonsense", "native_gdb", "main", "__init__", "../x", "--x", ""])
def test_no_such_verb_exits_2(shell, word):
    done = shell(word)
    assert (done.code, done.out) == (2, "")
    order = "; options come after the verb" if word == "--x" else ""
    assert done.err == f"gdb-epi: no verb {word!r}; try: gdb-epi --help{order}\n"


def test_what_is_no_verb_is_told_apart(shell, tmp_path):
    (tmp_path / "core").write_bytes(b"")
    assert "bt: the following arguments are required: CORE; try: gdb-epi bt" in shell("bt").err
    assert "print: the following arguments are required: CORE, EXPRESSION;" in shell("print").err
    assert "(did you mean --native?)" in shell("bt", "--nativ", "core").err
    for words in (("bt", "--all", "core"), ("print", "--frame", "1", "core", "x")):
        assert shell(*words).err.startswith("gdb-epi: core: an empty file"), words  # found
    assert shell("lock", "core").err == "gdb-epi: no verb 'lock': did you mean gdb-epi locks?\n"
    assert "try: source gdb_epi, then epi up" in shell("up").err
    assert f"try: gdb-epi triage {tmp_path / 'core'}\n" in shell(str(tmp_path / "core")).err
    ack = "gdb-epi fleet mark signature KEY --acknowledged"
    assert shell("fleet", "ack").err == f"gdb-epi: no verb 'ack'; try: {ack}\n"
    assert shell("fleet", "resign").err == "gdb-epi: no verb 'resign'; try: gdb-epi resign\n"
    assert shell("fleet", "bt").err == "gdb-epi: no verb 'bt'; try: gdb-epi fleet --help\n"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["triagge"], "gdb-epi triage"),
        (["Doctor"], "gdb-epi doctor"),
        (["host-fact"], "gdb-epi host-facts"),
        (["--versoin"], "gdb-epi --version"),
        (["fleet", "sceen"], "gdb-epi fleet screen"),
    ],
)
def test_a_misspelt_verb_gets_a_suggestion(shell, words, meant):
    done = shell(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"gdb-epi: no verb {words[-1]!r}: did you mean {meant}?\n"


def test_a_misspelt_option_gets_a_suggestion(shell):
    done = shell("triage", "core", "--job", "4")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "gdb-epi: triage: unrecognized arguments: --job 4 (did you mean --jobs?); "
        "try: gdb-epi triage --help\n"
    )
    assert "mean" not in shell("stacks", "core", "--zzz").err


@pytest.mark.parametrize(
    "line",
    [
        "triage core --jobs 0", "triage core --jobs -1", "triage core --timeout -1",
        "triage core --timeout 1e300", "corruption core --seconds 0",
        "corruption core --budget -1", "fleet new --days -1", "fleet new --days inf",
        "fleet new --limit 0", "fleet top --limit -5", "fleet top --limit 99999999999999999999",
        "fleet compare a b --limit 0", "fleet correlate --limit -1", "triage core --max-size 0",
        "serve --port -1", "serve --port 65536", "repro --runs 0 -- true",
        "repro --jobs -1 -- true", "repro --confidence 1 -- true",
    ],
)  # fmt: skip
def test_numbers_out_of_range_are_refused_in_one_line(shell, line):
    done = shell(*line.split())
    assert (done.code, done.out) == (2, "")
    option = next(word for word in line.split() if word.startswith("--"))
    assert len(done.err.splitlines()) == 1 and f"argument {option}: '" in done.err


@pytest.mark.parametrize(
    "words", [["triage"], ["doctor"], ["fleet", "top"], ["fleet", "ingest"], ["fleet"]]
)
def test_every_verb_has_help(shell, words):
    done = shell(*words, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"usage: gdb-epi {' '.join(words)}" in done.out


def test_help_breaks_no_name_and_keeps_paragraphs_apart(shell):
    assert 'eval "$(gdb-epi completion bash)"\n\nExit code: 0 done' in shell("completion", "-h").out
    for verb in ("report", "serve", "host-facts"):
        assert not [line for line in shell(verb, "-h").out.splitlines() if line.endswith("gdb-")]


def test_the_many_options_of_triage_stand_in_groups(shell):
    shown = shell("triage", "--help").out
    titles = ("the answer", "files of the process, and GDB", "the record", "many or huge cores")
    places = [shown.find(f"\n{title}:\n") for title in titles]
    assert -1 not in places and places == sorted(places)
    assert places[0] < shown.find("\n  --stacks") < places[1]


def test_every_help_says_the_exit_codes(capsys):
    from unit.test_docs import verbs

    from gdb_epi.cli.main import main

    for verb in ["", *verbs()]:
        with contextlib.suppress(SystemExit):  # argparse leaves so
            main([*verb.split(), "--help"])
        shown = " ".join(capsys.readouterr().out.split())
        assert shown.count("Exit code: ") == 1 and ".." not in shown.rpartition("Exit code: ")[2], (
            verb
        )


def test_fleet_without_a_verb_exits_2(shell):
    done = shell("fleet")
    assert done.code == 2 and "ingest" in done.err


def test_a_start_loads_nothing_it_does_not_need(shell, core):
    code = (
        "import sys; sys.argv[1:] = ['triage', sys.argv[1], '--no-db', '--native', 'never'];"
        "from gdb_epi.cli.main import main; code = main();"
        "heavy = {'sqlalchemy', 'elftools', 'pygments', 'tabulate', 'dataclasses', 'subprocess',"
        " 'tempfile', 'shutil', 'multiprocessing', 'concurrent', 'sqlite3',"
        " 'gdb_epi.cli.doctor', 'gdb_epi.cli.fleet', 'gdb_epi.cli.support.workers',"
        " 'gdb_epi.cli.support.native_gdb', 'gdb_epi.fleet.store.database'};"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(core)], capture_output=True, env=shell.env, timeout=60
    )
    assert done.returncode == 0, done.stderr
    # The one that reads and the one that waits for it.
    assert done.stderr.decode().split() == ["[]", "[]"]


def test_a_full_disk_under_the_output_is_told(shell, core):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            shell.command("triage", "--native", "never", "--no-db", core),
            stdout=full,
            stderr=subprocess.PIPE,
            env=shell.env,
            timeout=60,
        )
    assert done.returncode == 1
    assert b"No space left" in done.stderr and b"Traceback" not in done.stderr
    assert b"cannot write the answer" in done.stderr


def test_ascii_terminals_get_escapes(shell, core):
    done = shell.triage(core, "--no-db", env={"PYTHONIOENCODING": "ascii"})
    assert done.code == 0
