# SPDX-License-Identifier: Apache-2.0
"""Nothing is lost: whatever is wrong with the database, the answer is printed and kept."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from gdb_epi.fleet.records.packing import unpack_record
from gdb_epi.suggestions import install_command

KEY = "ed59cab39870482201c0545ac6c53ffc"  # core_key of the sample null-deref-ctypes


def stored(shell) -> list[str]:
    """The core_keys in the default database."""
    with closing(sqlite3.connect(shell.database)) as database:
        return [key for (key,) in database.execute("SELECT core_key FROM crash")]


def check_spooled(shell, core, done, message: str, code: int, db: str = "") -> None:
    """The answer is complete, one line says what is wrong, and the spool holds the record.

    `db` is the database that was named: the command to take the record in later names it too.
    """
    assert done.code == code, done.err
    assert done.records[0]["core_key"] == KEY
    wrong, kept = done.err.splitlines()
    assert wrong.startswith("gdb-epi: ") and message in wrong and "; try: " in wrong
    (path,) = shell.spooled
    named = f" --db {shlex.quote(db)}" if db else ""
    assert kept == f"gdb-epi: record kept in {path}; later: gdb-epi fleet ingest{named}"
    assert json.loads(path.read_text())["core_key"] == KEY
    # And the spool can be taken in later.
    later = shell.folder / "later.sqlite3"
    again = shell("fleet", "ingest", "--db", later)
    assert (again.code, again.err) == (0, "")
    assert again.out.startswith("1 added") and "1 spool file" in again.out
    assert shell.spooled == []
    top = json.loads(shell("fleet", "top", "--db", later, "--json").out)
    assert [row["crashes"] for row in top] == [1]


def test_the_record_goes_into_the_default_database(shell, core):
    assert shell.triage(core).code == 0
    assert shell.triage(core).code == 0
    assert stored(shell) == [KEY]
    assert shell.spooled == []


def test_the_answer_with_stacks_is_not_stored(shell, core):
    shell.triage(core, "--stacks", "--format", "json")
    with closing(sqlite3.connect(shell.database)) as database:
        (blob,) = database.execute("SELECT record FROM raw").fetchone()
    record = unpack_record(blob)
    assert isinstance(record["threads"], dict) and "thread_summary" not in record
    assert '"locals"' not in json.dumps(record)


def test_a_locked_database(shell, core):
    assert shell.triage(core).code == 0
    with closing(sqlite3.connect(shell.database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        url = f"sqlite:///{shell.database}?timeout=0.2"
        done = shell.triage(core, "--format", "json", "--db", url)
        other.execute("ROLLBACK")
    check_spooled(shell, core, done, "database is locked", 1, url)


def test_a_read_only_database(shell, core):
    shell.without_rights()
    assert shell.triage(core).code == 0
    for path in shell.data.glob("fleet.sqlite3*"):
        path.chmod(0o444)
    (shell.data / "spool").mkdir()
    shell.data.chmod(0o555)
    try:
        other = shell.folder / "core.2"
        other.write_bytes(core.read_bytes())
        os.utime(other, (1, 1))
        done = shell.triage(other, "--format", "json")
        # The same analysis of a known core changes nothing, but writing was asked for.
        check_spooled(shell, core, done, "readonly", 1)
    finally:
        shell.data.chmod(0o755)


def test_a_folder_that_cannot_be_written(shell, core):
    shell.without_rights()
    closed = shell.folder / "closed"
    closed.mkdir(mode=0o555)
    done = shell.triage(core, "--format", "json", "--db", closed / "fleet.sqlite3")
    check_spooled(shell, core, done, "unable to open database file", 1, f"{closed}/fleet.sqlite3")


def test_a_full_disk(shell, core):
    if shutil.which("prlimit") is None:
        pytest.skip("no prlimit program to limit the size of files")
    shell.prefix = ["prlimit", "--fsize=65536"]
    done = shell.triage(core, "--format", "json")
    shell.prefix = []
    check_spooled(shell, core, done, "sqlite", 1)
    assert "--db with a file on another disk" in done.err


def test_a_newer_schema(shell, core):
    shell.triage(core)
    with closing(sqlite3.connect(shell.database)) as database:
        database.execute("UPDATE meta SET value = '999'")
        database.commit()
    done = shell.triage(core, "--format", "json")
    check_spooled(shell, core, done, "has schema 999", 1)
    assert "upgrade gdb-epi" in done.err


def test_a_file_that_is_no_database(shell, core):
    path = shell.folder / "text"
    path.write_text("This is not a database at all. " * 100)
    done = shell.triage(core, "--format", "json", "--db", path)
    check_spooled(shell, core, done, "file is not a database", 1, str(path))
    assert path.read_text().startswith("This is not")


def test_a_database_of_another_program_is_left_alone(shell, core):
    path = shell.folder / "other.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE meta (key TEXT, value TEXT)")
        database.commit()
    done = shell.triage(core, "--format", "json", "--db", path)
    check_spooled(shell, core, done, "is not of gdb-epi", 1, str(path))
    with closing(sqlite3.connect(path)) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall()
    assert tables == [("meta",)]


@pytest.mark.parametrize("url", ["mysql://x/y", "http://example.org/", "sqlite:", "://", " "])
def test_a_wrong_url(shell, core, url):
    done = shell.triage(core, "--format", "json", "--db", url)
    check_spooled(shell, core, done, "database", 2)


def test_a_server_that_is_not_there(shell, core):
    pytest.importorskip("psycopg", reason="no psycopg module")
    url = "postgresql://user:hunter2@127.0.0.1:1/fleet"
    done = shell.triage(core, "--format", "json", "--db", url)
    assert "hunter2" not in done.err
    check_spooled(shell, core, done, "check host, port", 1, "URL")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:hunter2@h:9:9/x",
        "postgresql:/u:hunter2@h/x",
    ],
)
def test_a_url_that_cannot_be_read_is_a_usage_error_without_its_password(shell, url):
    top = shell("fleet", "top", "--db", url)
    assert (top.code, top.out) == (2, "") and "not a database URL" in top.err
    assert "hunter2" not in top.err
    mistyped = shell("fleet", "top", "--bd", url)
    assert mistyped.code == 2 and "hunter2" not in mistyped.err


def _without_sqlalchemy(shell) -> None:
    """Make `import sqlalchemy` fail as it does where it is not installed."""
    folder = shell.folder / "hidden"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import sys\n"
        "class Hide:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'sqlalchemy':\n"
        "            raise ModuleNotFoundError('No module named sqlalchemy', name=name)\n"
        "sys.meta_path.insert(0, Hide())\n"
    )
    shell.env["PYTHONPATH"] = f"{folder}{os.pathsep}{shell.env['PYTHONPATH']}"


def test_without_sqlalchemy_the_spool_is_the_place(shell, core):
    path = shell.env["PYTHONPATH"]
    _without_sqlalchemy(shell)
    done = shell.triage(core, "--format", "json")
    top = shell("fleet", "top")
    shell.env["PYTHONPATH"] = path
    check_spooled(shell, core, done, install_command("fleet"), 0)
    assert top.code == 1
    assert "SQLAlchemy is not installed here; try: " in top.err


def test_without_sqlalchemy_a_named_database_is_a_failure(shell, core):
    _without_sqlalchemy(shell)
    done = shell.triage(core, "--format", "json", "--db", "x.sqlite3")
    assert done.code == 1
    assert len(shell.spooled) == 1


def test_a_data_folder_that_cannot_be_written_spools_elsewhere(shell, core):
    shell.without_rights()
    shell.data.parent.mkdir()
    shell.data.parent.chmod(0o555)
    done = shell.triage(core, "--format", "json")
    assert done.code == 1 and done.records[0]["core_key"] == KEY
    kept = done.err.splitlines()[-1].removeprefix("gdb-epi: record kept in ").split(";")[0]
    assert kept.startswith(str(shell.folder / "tmp"))
    assert json.loads(Path(kept).read_text())["core_key"] == KEY
    again = shell("fleet", "ingest", kept, "--db", shell.folder / "later.sqlite3")
    assert again.out.startswith("1 added")


def test_nowhere_to_keep_it_still_prints_the_answer(shell, core):
    shell.without_rights()
    shell.data.parent.mkdir()
    shell.data.parent.chmod(0o555)
    (shell.folder / "tmp").chmod(0o555)
    done = shell.triage(core, "--format", "json", env={"TMPDIR": str(shell.folder / "tmp")})
    if any(os.access(p, os.W_OK) for p in ("/tmp", "/var/tmp")):
        # Python falls back to another temporary folder; then the record is there.
        assert "record kept in" in done.err
        kept = Path(done.err.split("record kept in ")[1].split(";")[0])
        kept.unlink()
    else:
        assert "cannot spool the record" in done.err
    assert done.code == 1 and done.records[0]["core_key"] == KEY


def test_a_broken_spool_line_is_kept_and_told(shell):
    spool = shell.data / "spool"
    spool.mkdir(parents=True)
    record = {"schema": "gdb-epi/record/1", "core_key": "ab" * 16}
    (spool / "1.jsonl").write_text(json.dumps(record) + "\n{half a rec\n")
    (spool / "2.part").write_text("still being written")
    done = shell("fleet", "ingest")
    assert done.code == 3
    assert done.out.startswith("1 added") and "1 rejected" in done.out
    assert "1.jsonl:2: not JSON" in done.err
    assert sorted(path.name for path in spool.iterdir()) == ["1.rejected", "2.part"]
    assert shell("fleet", "ingest").out == "nothing waits in the spool\n"


def patient(shell):
    """Name the database so that a writer waits for the other one on a slow machine too."""
    return f"sqlite:///{shell.database}?timeout=60"


def test_two_ingests_of_one_spool(shell):
    spool = shell.data / "spool"
    spool.mkdir(parents=True)
    for number in range(40):
        record = {"schema": "gdb-epi/record/1", "core_key": f"{number:032x}"}
        (spool / f"{number}.jsonl").write_text(json.dumps(record) + "\n")
    runs = [
        subprocess.Popen(
            shell.command("fleet", "ingest", "--db", patient(shell)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=shell.env,
            cwd=shell.folder,
        )
        for _ in range(2)
    ]
    for run in runs:
        _, err = run.communicate(timeout=120)
        assert (run.returncode, err) == (0, b"")
    assert len(stored(shell)) == 40
    assert list(spool.iterdir()) == []


@pytest.mark.heavy
def test_two_triages_at_once_into_one_new_database(shell, cores):
    command = shell.command("triage", "--native", "never", "--jobs", "1", "--db", patient(shell))
    runs = [
        subprocess.Popen(
            [*command, *map(str, chosen)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=shell.env,
            cwd=shell.folder,
        )
        for chosen in (cores[:2], cores[1:])
    ]
    for run in runs:
        _, err = run.communicate(timeout=120)
        assert run.returncode == 0, err
    assert len(stored(shell)) == 3


def test_spool_files_are_private(shell, core):
    _without_sqlalchemy(shell)
    shell.triage(core)
    (path,) = shell.spooled
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_where_a_record_went_is_told(shell, core):
    database = ("--db", "f.sqlite3")
    assert shell.triage(core, *database).err == "gdb-epi: stored in f.sqlite3\n"
    assert shell.triage(core, *database).err == "gdb-epi: stored already in f.sqlite3\n"


def test_the_screen_says_how_often_such_a_crash_was_seen(shell, core):
    """It told its reader to ask the database that it was writing into."""
    database = ("--db", "f.sqlite3")
    first = shell.triage(core, *database).out
    assert "\nSeen " not in first and "fleet seen" in first, "there is no database yet"
    again = shell.triage(core, *database).out
    assert re.search(r"^Seen +only this very core is in f\.sqlite3$", again, re.M), again
    assert "fleet seen" not in again
    record = shell.triage(core, "--no-db", "--format", "json").records[0]
    for key, day in (("ab" * 16, "2026-05-11"), ("cd" * 16, "2026-05-12")):
        other = record | {"core_key": key, "host": {"hostname": f"a{day[-2:]}"}}
        other["time"] = {"crash_ts": f"{day}T03:00:00Z", "ts_source": "journal"}
        lines = json.dumps(other).encode()
        assert shell("fleet", "ingest", "-", *database, stdin=lines).code == 0
    shown = shell.triage(core, *database).out
    assert "\nSeen     2 times before, last on 2026-05-12 on host a12\n" in shown
    assert "those crashes:" in shown and "--db f.sqlite3" in shown
    assert "\nSeen " not in shell.triage(core, "--no-db").out
    # Two services that end themselves by os.abort() at module level have one signature.
    process = {**record["process"], "script": "another.py"}
    lines = json.dumps(record | {"core_key": "ef" * 16, "process": process}).encode()
    assert shell("fleet", "ingest", "-", *database, stdin=lines).code == 0
    shown = " ".join(shell.triage(core, *database).out.split())
    assert "Seen 3 times before, last on" in shown
    assert "1 of them in another program: perhaps another bug" in shown
