# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi triage` on real cores: one, many, compressed, slow."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
from functools import partial
from pathlib import Path

import pytest
from support.opening import need_gdb
from support.shell import INTERRUPTIBLE, SAMPLES, read_terminal
from support.waiting import wait_until, wait_until_gone

from gdb_epi.cli import triage
from gdb_epi.cli.main import main

KEY = "ed59cab39870482201c0545ac6c53ffc"  # core_key of the sample null-deref-ctypes


def test_one_core_gives_one_json_line(shell, core):
    done = shell.triage(core, "--format", "json", "--no-db")
    assert (done.code, done.err) == (0, "")
    (record,) = done.records
    assert record["schema"] == "gdb-epi/record/1"
    assert record["core_key"] == KEY
    assert record["signal"]["signo"] == 11
    assert record["file"] == {"name": "core.1", "size": core.stat().st_size, "compression": None}
    assert record["time"]["ts_source"] == "mtime"
    assert record["time"]["crash_ts"] == pytest.approx(core.stat().st_mtime, abs=0.01)
    assert not shell.data.exists()


def test_the_text_answer_is_for_people(shell, core):
    done = shell.triage(core, "--no-db")
    assert done.code == 0
    assert 3 <= len(done.out.splitlines()) <= 60
    assert "copy_payload" in done.out and "SIGSEGV" in done.out


def test_stacks_stand_beside_the_record(shell, core):
    (record,) = shell.triage(core, "--no-db", "--stacks", "--format", "json").records
    main = next(thread for thread in record["threads"] if thread["crashed"])
    assert [frame["name"] for frame in main["frames"]][:2] == ["copy_payload", "parse_record"]
    assert main["frames"][0]["lineno"] == 27
    assert record["thread_summary"]["count"] == 2
    assert record["core_key"] == KEY


def test_stacks_as_text(shell, core):
    done = shell.triage(core, "--no-db", "--stacks")
    stacks = done.out.partition("\nMainThread (thread ")[2]
    assert "crashed" in stacks.splitlines()[0]
    assert "copy_payload" in stacks.splitlines()[1] and "program.py:27" in stacks.splitlines()[1]
    assert "\nflusher (thread " in done.out


def test_the_line_that_ran_is_shown_where_its_source_fits(shell, core, tmp_path):
    folder = tmp_path / "root" / "srv" / "app" / "null-deref-ctypes"
    folder.mkdir(parents=True)
    source = SAMPLES / "null-deref-ctypes" / "program.py"
    text = source.read_text()
    words = (core, "--no-db", "--native", "never", "--sysroot", tmp_path / "root")
    assert "\nLine " not in shell.triage(*words).out
    (folder / "program.py").write_text(text)
    shown = "\nLine     program.py:27  ctypes.memmove(target, record.payload, record.length)\n"
    assert shown in shell.triage(*words).out
    (folder / "program.py").write_text(text.replace("memmove", "memset").replace("record", "entry"))
    assert "\nLine " not in shell.triage(*words).out, "another version of the file"
    assert "memmove" not in shell.triage(*words, "--format", "json").out


def test_json_and_locals_need_no_other_option(shell, core):
    (record,) = shell.triage(core, "--no-db", "--locals", "--json").records
    assert record["threads"][0]["frames"], "--locals asks for the stacks too"
    done = shell.triage(core, "--no-db", "--secrets")
    assert done.code == 2 and "--secrets needs --locals" in done.err


def test_locals_are_shown_or_their_absence_is_told(shell, core):
    (record,) = shell.triage(core, "--no-db", "--stacks", "--locals", "--format", "json").records
    shown = [f for t in record["threads"] for f in t["frames"] if f.get("locals")]
    soft_errors = [e for e in record["soft_errors"] if e["stage"] == "locals"]
    assert shown or soft_errors


def _zstd(data: bytes) -> bytes:
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


def _lz4(data: bytes) -> bytes:
    return subprocess.run(["lz4", "-q", "-c"], input=data, capture_output=True, check=True).stdout


PACKERS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": partial(lzma.compress, preset=0),
    "zst": _zstd,
    "lz4": _lz4,
}
PROGRAMS = {"zst": "zstd", "lz4": "lz4"}


@pytest.mark.parametrize("kind", PACKERS)
def test_a_compressed_core_is_the_same_core(shell, core, core_bytes, kind):
    if kind in PROGRAMS and shutil.which(PROGRAMS[kind]) is None:
        pytest.skip(f"no {PROGRAMS[kind]} program")
    packed = core.with_name("an odd name")  # the magic counts, not the name
    packed.write_bytes(PACKERS[kind](core_bytes))
    done = shell.triage(packed, core, "--no-db", "--format", "json")
    assert done.code == 0, done.err
    first, other = done.records
    assert first["file"]["compression"] == kind
    for provenance in ("file", "time"):
        del first[provenance], other[provenance]
    assert first == other
    assert shell.leftovers == []


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_a_compressed_core_that_was_cut_off_is_still_read(shell, core, core_bytes, kind):
    data = PACKERS[kind](core_bytes)
    packed = core.with_name(f"cut.{kind}")
    packed.write_bytes(data[: len(data) * 9 // 10])
    done = shell.triage(packed, "--no-db", "--format", "json")
    assert done.code == 0, done.err
    (record,) = done.records
    assert record["core_key"] == KEY
    assert any("damaged" in error["message"] for error in record["soft_errors"])
    assert shell.leftovers == []


def test_other_verbs_tell_a_packing_that_was_cut_off(shell, core, core_bytes):
    data = gzip.compress(core_bytes)
    packed = core.with_name("cut.gz")
    packed.write_bytes(data[: len(data) * 9 // 10])
    for verb in ("stacks", "corruption"):
        done = shell(verb, packed)
        assert (done.code, done.err) == (0, "")
        assert "cut.gz: gz data is damaged" in done.out
        (record,) = shell(verb, packed, "--json").records
        assert any("gz data is damaged" in error["message"] for error in record["soft_errors"])
    packed.write_bytes(gzip.compress(core_bytes[:32]))
    done = shell("stacks", packed)
    assert done.code == 3
    assert "cut.gz" in done.err, "the name that the user gave"
    assert shell.leftovers == []


def test_local_variables_and_tasks_are_shown_without_a_database(shell, core):
    """The screen offered `triage --stacks --locals --no-db`, and a line of GDB for tasks."""
    plain, shown = shell("stacks", core), shell("stacks", "--locals", core)
    assert (shown.code, shown.err) == (0, "")
    names = [line.split()[1] for line in plain.out.splitlines() if line.startswith("  py ")]
    assert names[0] in shown.out  # where calls are alike the list without values folds them
    assert any(line.startswith("        ") and " = " in line for line in shown.out.splitlines())
    (record,) = shell("stacks", "--locals", "--json", core).records
    assert any(frame["locals"] for thread in record["threads"] for frame in thread["frames"])
    tasks = shell("tasks", core)
    assert tasks.code == 0 and "no tasks of asyncio or trio" in tasks.out
    assert not shell.database.exists() and not shell.spooled


def test_a_bomb_is_not_unpacked(shell, core):
    bomb = core.with_name("bomb.gz")
    with gzip.open(bomb, "wb", compresslevel=1) as file:
        file.write(core.read_bytes())
        for _ in range(64):
            file.write(bytes(1 << 20))
    done = shell.triage(bomb, "--no-db", "--max-size", "32M")
    assert done.code == 3
    assert "unpacks to more than 33554432 bytes; try: --max-size" in done.err
    assert shell.leftovers == []


def test_unpacking_leaves_holes(tmp_path):
    from gdb_epi.cli.support.unpack import unpack

    data = b"\x7fELF" + bytes(64 << 20) + b"end"
    packed = tmp_path / "x.gz"
    packed.write_bytes(gzip.compress(data, 1))
    (tmp_path / "out").mkdir()
    path, trouble = unpack(str(packed), "gz", str(tmp_path / "out"), 1 << 30)
    assert trouble is None
    assert Path(path).read_bytes() == data
    assert os.stat(path).st_blocks * 512 < 1 << 20


def test_many_cores_are_answered_in_the_order_given(shell, cores):
    done = shell.triage(*cores, "--format", "json", "--jobs", "3")
    assert done.code == 0, done.err
    assert [record["file"]["name"] for record in done.records] == [path.name for path in cores]
    with sqlite3.connect(shell.database) as database:
        assert database.execute("SELECT count(*) FROM crash").fetchone() == (3,)
    assert shell.leftovers == []


def test_many_cores_as_a_table(shell, cores):
    done = shell.triage(*cores)
    assert done.code == 0
    assert "3 inputs: 3 read, 0 unusable, 0 failed" in done.out
    for path in cores:
        assert path.name in done.out


def test_a_copy_is_no_second_crash(shell, cores, tmp_path):
    folder = tmp_path / "cores"
    folder.mkdir()
    for name in ("a", "b"):
        shutil.copy(cores[0], folder / name)
    with tarfile.open(folder / "old.tgz", "w:gz") as archive:
        archive.add(cores[1])
    done = shell.triage(folder, "--no-db")
    assert "2 inputs: 2 read" in done.out
    assert "1 kind of crash; copies of others, not counted again: 1" in done.out
    assert "old.tgz (an archive: unpack it first)" in done.err


def test_a_folder_is_searched_by_content(shell, cores, tmp_path):
    folder = tmp_path / "deep"
    (folder / "er").mkdir(parents=True)
    cores[0].rename(folder / "er" / "no-suffix")
    cores[1].rename(folder / "crash")
    (folder / "notes.txt").write_text("not a core")
    (folder / "notes.txt.gz").write_bytes(gzip.compress(b"neither"))
    (folder / "empty").touch()
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to(folder)
    done = shell.triage(folder, "--format", "json", "--no-db")
    assert (done.code, done.err) == (0, "")
    assert [record["file"]["name"] for record in done.records] == ["crash", "no-suffix"]
    err = shell.triage(folder, "--no-db").err
    assert "3 files passed over, no core: " in err and "notes.txt.gz" in err
    (folder / "er" / "host.json").write_text("{}")
    (folder / "empty").unlink()
    err = shell.triage(folder, "--no-db").err
    assert "host.json (tells of cores in its own folder)" in err


def test_the_same_core_twice_is_one(shell, core):
    done = shell.triage(core, core, core.parent / "." / core.name, "--format", "json", "--no-db")
    assert len(done.records) == 1


def test_output_goes_into_a_file_and_never_over_a_core(shell, core, tmp_path):
    out = tmp_path / "out.jsonl"
    done = shell.triage(core, "--no-db", "--format", "json", "--output", out)
    assert (done.code, done.out) == (0, "")
    assert json.loads(out.read_text())["core_key"] == KEY
    size = core.stat().st_size
    done = shell.triage(core, "--no-db", "--output", core)
    assert done.code == 2 and "would overwrite a core" in done.err
    assert core.stat().st_size == size
    done = shell.triage(core, "--no-db", "--output", tmp_path / "no" / "folder")
    assert done.code == 1 and "cannot write" in done.err


def test_host_json_is_merged(shell, core, tmp_path):
    given = {
        "hostname": "node-7",
        "boot_id": "b",
        "microcode": "0x2b",
        "attributes": {"rack": "r1"},
    }
    (tmp_path / "host.json").write_text(json.dumps(given))
    (record,) = shell.triage(
        core, "--no-db", "--format", "json", "--host-json", tmp_path / "host.json"
    ).records
    assert record["host"]["hostname"] == "node-7"
    assert record["host"]["attributes"] == {"rack": "r1", "microcode": "0x2b"}
    (tmp_path / "host.json").write_text("[1]")
    done = shell.triage(core, "--no-db", "--host-json", tmp_path / "host.json")
    assert done.code == 3 and "no JSON object" in done.err


def test_a_reader_that_goes_away_is_no_error_and_the_record_is_stored(shell, core):
    process = subprocess.Popen(
        shell.command("triage", "--native", "never", core, "--format", "json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=shell.env,
        cwd=shell.folder,
    )
    process.stdout.close()
    err = process.stderr.read()
    assert process.wait(60) == 0
    assert err == b""
    with sqlite3.connect(shell.database) as database:
        assert database.execute("SELECT core_key FROM crash").fetchall() == [(KEY,)]


def test_a_terminal_sees_the_progress_and_a_file_does_not(shell, cores):
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        shell.command("triage", "--native", "never", "--no-db", *cores),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=shell.env,
        cwd=shell.folder,
    )
    os.close(theirs)
    seen = read_terminal(ours)
    assert process.wait(60) == 0
    assert b"] 3/3, " in seen and b" a second, " in seen and seen.endswith(b"\r\x1b[K")
    assert shell.triage("--no-db", *cores).err == ""


FAKE_GDB = """#!/bin/sh
echo $$ >> "{pids}"
exec sleep 1000
"""


def _hanging_gdb(tmp_path: Path) -> tuple[Path, Path]:
    pids = tmp_path / "pids"
    gdb = tmp_path / "hanging-gdb"
    gdb.write_text(FAKE_GDB.format(pids=pids))
    gdb.chmod(0o755)
    return gdb, pids


def test_a_timeout_kills_the_worker_and_its_gdb(shell, core, tmp_path):
    gdb, pids = _hanging_gdb(tmp_path)
    for seconds in (2, 8, 32):  # so long that the worker comes to its GDB, on a busy machine too
        done = shell("triage", core, "--gdb", gdb, "--timeout", seconds, "--no-db")
        assert done.code == 1
        assert f"not done within {seconds} s; try:" in done.err
        assert shell.leftovers == []
        if pids.exists():
            break
    wait_until_gone(*map(int, pids.read_text().split()))


@pytest.mark.parametrize(("native", "gdbs"), [("gdb", 2), ("auto", 1)])
@pytest.mark.parametrize(("signo", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_everything(shell, cores, tmp_path, signo, code, native, gdbs):
    gdb, pids = _hanging_gdb(tmp_path)
    words = ("--gdb", gdb, "--native", native, "--jobs", "2", "--no-db")
    process = subprocess.Popen(
        [*INTERRUPTIBLE, *shell.command("triage", *cores, *words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=shell.env,
        cwd=shell.folder,
    )
    wait_until(lambda: pids.exists() and len(pids.read_text().split()) >= gdbs, during=process)
    process.send_signal(signo)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert (b"interrupted" in err) == (signo == signal.SIGINT) and b"Traceback" not in err
    wait_until_gone(*map(int, pids.read_text().split()))
    assert shell.leftovers == []


def test_a_run_that_was_stopped_says_how_to_go_on(shell, cores, monkeypatch, capsys):
    """It said "interrupted", and whoever had 4,000 cores began anew or gave up."""
    whole = triage.results_in_order

    def stopped(*words):
        yield next(whole(*words))
        raise KeyboardInterrupt

    monkeypatch.setattr(triage, "results_in_order", stopped)
    words = ["triage", *map(str, cores), "--db", str(shell.folder / "f.sqlite3")]
    assert main([*words, "--native", "never"]) == 130
    told = capsys.readouterr().err
    assert f"1 of {len(cores)} cores are done; the same command again does the others" in told


# Of the real-time signals only the first and the last have names.
@pytest.mark.parametrize(("signo", "words"), [(11, "SIGSEGV"), (35, "signal 35")])
def test_a_worker_that_dies_is_told_and_the_others_go_on(shell, cores, tmp_path, signo, words):
    gdb = tmp_path / "deadly-gdb"
    name = cores[1].name.removesuffix(".xz")
    # GDB is a child of the worker: this one takes the worker of one core with it.
    gdb.write_text(f'#!/bin/sh\ncase "$*" in *{name}*) kill -{signo} $PPID;; esac\nexit 1\n')
    gdb.chmod(0o755)
    done = shell("triage", *cores, "--gdb", gdb, "--format", "json")
    assert done.code == 1
    assert [r["file"]["name"] for r in done.records] == [cores[0].name, cores[2].name]
    assert f"{cores[1]}: the worker died by {words}; try: again with --jobs 1" in done.err
    assert shell.leftovers == []


def test_one_bad_core_does_not_stop_the_others(shell, cores, core_bytes, tmp_path):
    (tmp_path / "empty").touch()
    cut = tmp_path / "cut"
    cut.write_bytes(core_bytes[:100])
    done = shell.triage(*cores, tmp_path / "empty", cut, "--format", "json")
    assert {path.name for path in cores} <= {record["file"]["name"] for record in done.records}
    assert done.code == 3
    assert f"{tmp_path}/empty: an empty file; try:" in done.err


def test_a_gdb_that_fails_is_a_soft_error_or_an_error(shell, core):
    false = shutil.which("false")
    (record,) = shell("triage", core, "--gdb", false, "--no-db", "--format", "json").records
    assert any("exit code 1" in error["message"] for error in record["soft_errors"])
    done = shell("triage", core, "--gdb", false, "--native", "always", "--no-db")
    assert done.code == 1
    assert "no native frames: gdb ended with exit code 1" in done.err


def test_of_a_cut_header_gdb_s_own_word_is_told_and_no_advice_for_its_prompt(shell, core_bytes):
    path = shell.folder / "cut"
    path.write_bytes(core_bytes[:1000])
    done = shell("triage", path, "--no-db", "--all")
    assert done.code == 0 and "is not a core dump" in " ".join(done.out.split())
    assert "core-file FILE" not in done.out


def test_a_gdb_that_dies_of_its_index_cache_runs_without_it(shell, core, tmp_path):
    """GDB 18.1 does, of the index that it made itself of a Rust program."""
    real = need_gdb()
    gdb = tmp_path / "gdb"
    dies = 'case "$*" in *"index-cache enabled on"*) kill -ILL $$;; esac'
    gdb.write_text(f'#!/bin/sh\n{dies}\nexec "{real}" "$@"\n')
    gdb.chmod(0o755)
    done = shell("triage", core, "--gdb", gdb, "--native", "always", "--no-db", "--format", "json")
    assert done.code == 0, done.err
    signature = done.records[0]["signature"]
    # On a machine without the sample's own interpreter there are no native frames to sign.
    assert "native" in signature["keys"] or "not here" in signature["absent"]["native"]
    gdb.write_text("#!/bin/sh\nkill -ILL $$\n")
    done = shell("triage", core, "--gdb", gdb, "--native", "always", "--no-db")
    assert done.code == 1 and "gdb died by SIGILL" in done.err


def test_no_gdb_is_a_soft_error_or_an_error(shell, core, tmp_path):
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"  # a gdb beside the usual one would be found
    python.symlink_to(sys.executable)
    bare = {"PATH": str(tmp_path / "bin")}
    shell.python = str(python)
    done = shell("triage", core, "--no-db", "--format", "json", env=bare)
    (record,) = done.records
    assert done.code == 0
    assert any("no gdb found" in error["message"] for error in record["soft_errors"])
    done = shell("triage", core, "--no-db", "--native", "always", env=bare)
    assert done.code == 1 and "no gdb found; try: apt install gdb" in done.err


def test_native_frames_come_from_a_real_gdb(shell, core):
    need_gdb()
    done = shell("triage", core, "--native", "always", "--no-db", "--format", "json")
    assert done.code == 0, done.err
    (record,) = done.records
    frames = record["threads"]["crashed"]["frames"]
    # memcpy of libc faulted, whether or not this machine has that libc to name it.
    assert frames[0]["language"] == "native"
    assert frames[0]["module"] == "libc.so.6"
    assert shell.leftovers == []
