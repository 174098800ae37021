# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi gdbinit`: the line works in every later session, comes once and goes without a trace."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from driver import PACKAGE, ROOT, Gdb, environment, run_gdb

from gdb_epi.cli.gdbinit import (
    directory_line,
    gdbinit_file,
    install_block_in_gdbinit,
    remove_block_from_gdbinit,
)
from gdb_epi.errors import InputError

LINE = f'directory "{PACKAGE}"'


def cli(*words: str, env: dict[str, str], root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run `gdb-epi gdbinit`."""
    return subprocess.run(
        [sys.executable, "-m", "gdb_epi.cli.main", "gdbinit", *words],
        capture_output=True,
        text=True,
        cwd=root,
        env=environment(env),
        timeout=60,
    )


def test_prints_one_line_that_gdb_takes(gdb: Gdb, tmp_path: Path) -> None:
    done = cli(env={"HOME": str(tmp_path)})
    assert done.stdout == LINE + "\n", done.stderr
    assert not list(tmp_path.iterdir())
    assert run_gdb(gdb, done.stdout.strip(), "source gdb_epi", "epi doctor").returncode == 0


@pytest.mark.parametrize("place", [".gdbinit", ".config/gdb/gdbinit"])
def test_install_then_two_words_from_anywhere(gdb: Gdb, tmp_path: Path, place: str) -> None:
    home = tmp_path / "home"
    file = home / place
    file.parent.mkdir(parents=True)
    file.write_text("set print pretty on")
    env = {"HOME": str(home), "XDG_CONFIG_HOME": ""}
    for _ in range(2):
        done = cli("--install", env=env)
        assert done.returncode == 0, done.stderr
    assert file.read_text().count(LINE) == 1
    for cwd in (tmp_path, ROOT, Path("/")):
        shown = run_gdb(gdb, "source gdb_epi", "epi doctor", cwd=cwd, env=env, init=True)
        assert "gdb-epi " in shown.stdout, shown.text
    assert cli("--uninstall", env=env).returncode == 0
    assert file.read_text() == "set print pretty on"


def test_install_from_a_folder_with_a_space(gdb: Gdb, tmp_path: Path) -> None:
    root = tmp_path / "a b"
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, root / "gdb_epi", ignore=skip)
    shutil.copytree(ROOT / "commands", root / "commands", ignore=skip)
    env = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": ""}
    assert cli("--install", env=env, root=root).returncode == 0
    shown = run_gdb(gdb, "source gdb_epi", "epi doctor", cwd=ROOT, env=env, init=True)
    assert "gdb-epi " in shown.stdout, shown.text


def test_gdb_reads_the_file_that_we_choose(
    gdb: Gdb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for xdg in ("", str(tmp_path / "xdg")):
        monkeypatch.setenv("XDG_CONFIG_HOME", xdg)
        env = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": xdg}
        chosen = gdbinit_file()
        assert chosen == tmp_path / ".gdbinit"
        chosen.write_text("echo HOME FILE\\n")
        assert "HOME FILE" in run_gdb(gdb, env=env, init=True).stdout
        modern = Path(xdg or tmp_path / ".config") / "gdb" / "gdbinit"
        modern.parent.mkdir(parents=True)
        modern.write_text("echo XDG FILE\\n")
        assert gdbinit_file() == modern
        shown = run_gdb(gdb, env=env, init=True).stdout
        assert "XDG FILE" in shown and "HOME FILE" not in shown
        modern.unlink()
        chosen.unlink()


@pytest.mark.parametrize("before", [None, b"", b"set x\n", b"set x", b"\xff\n\n", b"a\r\n"])
def test_uninstall_takes_back_exactly(tmp_path: Path, before: bytes | None) -> None:
    file = tmp_path / "gdbinit"
    if before is not None:
        file.write_bytes(before)
        file.chmod(0o640)
    assert install_block_in_gdbinit(file, LINE) == "added"
    once = file.read_bytes()
    assert install_block_in_gdbinit(file, LINE) == "has the line already"
    assert file.read_bytes() == once
    assert install_block_in_gdbinit(file, 'directory "/elsewhere"') == "updated"
    assert file.read_bytes().count(b"directory") == 1
    remove_block_from_gdbinit(file)
    assert (file.read_bytes() if file.exists() else None) == before
    if before is not None:
        assert file.stat().st_mode & 0o777 == 0o640
    assert remove_block_from_gdbinit(file) == "holds nothing of gdb-epi"


def test_what_came_after_the_block_stays(tmp_path: Path) -> None:
    file = tmp_path / "gdbinit"
    file.write_text("first")
    install_block_in_gdbinit(file, LINE)
    with file.open("a") as stream:
        stream.write("later\n")
    remove_block_from_gdbinit(file)
    assert file.read_text() == "first\nlater\n"


def test_a_line_that_the_user_wrote_is_enough(tmp_path: Path) -> None:
    file = tmp_path / "gdbinit"
    file.write_text(LINE + "\n")
    assert install_block_in_gdbinit(file, LINE) == "has the line already"
    assert file.read_text() == LINE + "\n"


def test_symbolic_links_stay(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles"
    real.write_text("# mine\n")
    link = tmp_path / "gdbinit"
    link.symlink_to(real)
    install_block_in_gdbinit(link, LINE)
    assert link.is_symlink() and LINE in real.read_text()


def test_errors_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot hold"):
        directory_line(Path("/a:b"))
    done = cli("--install", "--file", str(tmp_path), env={"HOME": str(tmp_path)})
    assert done.returncode == 3
    assert len(done.stderr.strip().splitlines()) == 1
    assert os.listdir(tmp_path) == []


def test_quoting(gdb: Gdb, tmp_path: Path) -> None:
    for name in ("a b", 'quo"te', "back\\slash", "it's", "dollar$x"):
        folder = tmp_path / name
        folder.mkdir()
        show = "python print('DIRS', gdb.parameter('directories').split(':')[0])"
        done = run_gdb(gdb, directory_line(folder), show)
        assert f"DIRS {folder}\n" in done.stdout, done.text


def test_settings_are_kept_for_every_session(gdb: Gdb, tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": ""}
    assert cli("--install", "--printers", env=env).returncode == 0
    show = ("show epi printers", "show epi frames")
    shown = run_gdb(gdb, *show, env=env, init=True)
    assert "Python: auto." in shown.stdout and "frames: off." in shown.stdout, shown.text
    assert cli("--install", "--printers", "--frames", env=env).returncode == 0
    shown = run_gdb(gdb, *show, env=env, init=True)
    assert "Python: auto." in shown.stdout and "frames: auto." in shown.stdout, shown.text
