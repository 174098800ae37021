# SPDX-License-Identifier: Apache-2.0
"""`source gdb_epi` from every kind of installation, and what it leaves alone."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from driver import BOOTSTRAP, PACKAGE, ROOT, Done, Gdb, run_gdb
from support.wheels import build_tools, built

WHICH = "python import gdb_epi, sys; print('LOADED', gdb_epi.__file__)"
PROBE = ("epi doctor", "output $epi_status", WHICH)


def assert_loaded(done: Done, package: Path) -> None:
    """Assert that the commands work and come from one copy."""
    assert done.returncode == 0, done.text
    assert f"LOADED {package / '__init__.py'}" in done.stdout, done.text
    assert "gdb-epi " in done.stdout, done.text


def copy_of_checkout(target: Path) -> Path:
    """Copy what a checkout needs to run and to be installed; return its root."""
    skip = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "dist")
    for name in ("gdb_epi", "commands"):
        shutil.copytree(ROOT / name, target / name, ignore=skip)
    for name in ("setup.py", "README.md", "LICENSE"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, target / name)
    return target


# -- where it is found ---------------------------------------------------------------------------


def test_from_checkout_root_where_gdb_epi_is_a_folder(gdb: Gdb) -> None:
    done = run_gdb(gdb, *PROBE, words=("-d", "gdb_epi", "-x", "gdb_epi"), cwd=ROOT)
    assert_loaded(done, PACKAGE)
    done = run_gdb(gdb, "source gdb_epi", *PROBE, words=("-d", "gdb_epi"), cwd=ROOT)
    assert_loaded(done, PACKAGE)


def test_directory_line(gdb: Gdb, tmp_path: Path) -> None:
    for cwd in (tmp_path, ROOT, PACKAGE):
        done = run_gdb(gdb, f'directory "{PACKAGE}"', "source gdb_epi", *PROBE, cwd=cwd)
        assert_loaded(done, PACKAGE)


def test_source_path_is_the_fallback(gdb: Gdb, tmp_path: Path) -> None:
    """Where the open script does not tell (no /proc), the folders of `directory` do."""
    renamed = tmp_path / "script"
    shutil.copy(PACKAGE / "gdb_epi", renamed)
    done = run_gdb(gdb, f'directory "{PACKAGE}"', f"source {renamed}", *PROBE, cwd=tmp_path)
    assert_loaded(done, PACKAGE)


def test_absolute_paths(gdb: Gdb, tmp_path: Path) -> None:
    for path in (PACKAGE / "gdb_epi", BOOTSTRAP):
        assert_loaded(run_gdb(gdb, *PROBE, words=("-x", str(path)), cwd=tmp_path), PACKAGE)


def test_path_with_space(gdb: Gdb, tmp_path: Path) -> None:
    root = copy_of_checkout(tmp_path / "a b [c]")
    package = root / "gdb_epi"
    done = run_gdb(gdb, f'directory "{package}"', "source gdb_epi", *PROBE, cwd=tmp_path)
    assert_loaded(done, package)
    assert_loaded(run_gdb(gdb, *PROBE, words=("-d", "gdb_epi", "-x", "gdb_epi"), cwd=root), package)


def test_sourced_copy_wins_over_the_one_on_sys_path(gdb: Gdb, tmp_path: Path) -> None:
    root = copy_of_checkout(tmp_path / "copy")
    first = f"python import sys; sys.path.insert(0, {str(root)!r}); import gdb_epi.errors"
    done = run_gdb(gdb, first, f"source {BOOTSTRAP}", *PROBE)
    assert_loaded(done, PACKAGE)
    assert (
        "FROM " + str(PACKAGE)
        in run_gdb(
            gdb,
            first,
            f"source {BOOTSTRAP}",
            "python import gdb_epi.errors; print('FROM', gdb_epi.errors.__file__)",
        ).stdout
    )


def test_twice_keeps_the_modules(gdb: Gdb) -> None:
    done = run_gdb(
        gdb,
        f"source {BOOTSTRAP}",
        "python import gdb_epi.registry; kept = gdb_epi.registry",
        f"source {PACKAGE / 'gdb_epi'}",
        "python import gdb_epi.registry; print('SAME', kept is gdb_epi.registry)",
        *PROBE,
    )
    assert_loaded(done, PACKAGE)
    assert "SAME True" in done.stdout


def test_without_the_line_the_error_says_what_to_do(gdb: Gdb, tmp_path: Path) -> None:
    shutil.copy(PACKAGE / "gdb_epi", tmp_path / "gdb_epi")
    done = run_gdb(gdb, "source gdb_epi", "python print('ALIVE')", cwd=tmp_path)
    assert "ALIVE" in done.stdout
    assert "try: source FOLDER/gdb_epi_bootstrap.py" in done.stderr


# -- installations -------------------------------------------------------------------------------


def make_venv(folder: Path, *install: str) -> Path:
    """Make a virtual environment with this project in it; return its site-packages."""
    if importlib.util.find_spec("pip") is None:
        pytest.skip("pip is missing beside the running Python")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    base = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", "venv", base))
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--quiet"]
    # Without the last option pip takes away what the running environment has of this project.
    command += ["--disable-pip-version-check", "--prefix", str(folder), "--ignore-installed"]
    command += ["--no-compile", "--no-build-isolation", "--no-index"]
    tools = {**os.environ, "PYTHONPATH": str(build_tools())}
    done = subprocess.run(
        [*command, *install], capture_output=True, text=True, cwd=folder, env=tools
    )
    assert done.returncode == 0, done.stderr
    return site


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site-packages of an environment with our wheel."""
    return make_venv(tmp_path_factory.mktemp("wheel") / "venv", str(built(tmp_path_factory).wheel))


@pytest.fixture(scope="module")
def editable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout that is installed as editable."""
    folder = tmp_path_factory.mktemp("editable")
    root = copy_of_checkout(folder / "src")
    make_venv(folder / "venv", "-e", str(root))
    return root


def test_wheel(gdb: Gdb, wheel: Path) -> None:
    package = wheel / "gdb_epi"
    assert (package / "gdb_epi").is_file(), "the GDB script is not in the wheel"
    done = run_gdb(
        gdb,
        f'directory "{package}"',
        "source gdb_epi",
        *PROBE,
        "python print('LAST', sys.path[-1])",
        cwd=ROOT,
    )
    assert_loaded(done, package)
    assert f"LAST {wheel}" in done.stdout, done.text
    assert "failed to load" not in done.stdout, done.text


@pytest.mark.heavy
def test_editable(gdb: Gdb, editable: Path) -> None:
    package = editable / "gdb_epi"
    done = run_gdb(gdb, f'directory "{package}"', "source gdb_epi", *PROBE, cwd=editable)
    assert_loaded(done, package)


def test_dependencies_are_appended(gdb: Gdb, tmp_path: Path) -> None:
    root = copy_of_checkout(tmp_path / "src")
    (tmp_path / "site" / "tabulate").mkdir(parents=True)
    beside = root / ".venv" / "lib" / "python3.11" / "site-packages"
    beside.mkdir(parents=True)
    show = "python print('ADDED', [p for p in sys.path if p not in before])"
    prepare = "python import sys; before = list(sys.path)"
    front = "python print('FRONT', sys.path[:len(before)] == before)"
    commands = (prepare, f"source {root / 'gdb_epi' / 'gdb_epi_bootstrap.py'}", show, front)
    done = run_gdb(gdb, *commands, env={"GDB_EPI_SITE": ""})
    assert f"ADDED [{str(beside)!r}]" in done.stdout, done.text
    assert "FRONT True" in done.stdout
    done = run_gdb(gdb, *commands, env={"GDB_EPI_SITE": str(tmp_path / "site")})
    assert f"ADDED [{str(tmp_path / 'site')!r}]" in done.stdout, done.text


# -- what it leaves alone ------------------------------------------------------------------------

WATCH = """
import os, sys, time
sys.dont_write_bytecode = True  # the cache of compiled modules is Python's, not ours
touched = []
def hook(event, args):
    writes = event == "open" and args[2] and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    starts = event in ("subprocess.Popen", "os.fork", "os.exec", "os.system", "os.posix_spawn")
    if writes or starts:
        touched.append((event, str(args[0])))
sys.addaudithook(hook)
names = set(vars(sys.modules["__main__"]))
before = gdb.execute("show", to_string=True)
clock = time.perf_counter()
"""
COMPARE = """
spent = time.perf_counter() - clock
after = gdb.execute("show", to_string=True)
import difflib
def lines(text):  # the newest convenience variable stands behind this label
    return sorted(text.replace("convenience:  ", "").splitlines())
changed = [line for line in difflib.unified_diff(lines(before), lines(after), n=0)
           if "$epi_" not in line and not line.startswith("+epi ")
           and line[:3] not in ("---", "+++") and line[:2] != "@@"]
print("CHANGED", changed)
print("TOUCHED", touched)
print("SECONDS", round(spent, 3))
"""


def test_changes_nothing(gdb: Gdb, tmp_path: Path) -> None:
    (tmp_path / "watch.py").write_text(WATCH)
    (tmp_path / "compare.py").write_text(COMPARE)
    home = tmp_path / "home"
    home.mkdir()
    done = run_gdb(
        gdb,
        f"source {tmp_path / 'watch.py'}",
        f"source {PACKAGE / 'gdb_epi'}",
        f"source {tmp_path / 'compare.py'}",
        env={"HOME": str(home)},
    )
    assert "CHANGED []" in done.stdout, done.text
    assert "TOUCHED []" in done.stdout, done.text
    assert not list(home.iterdir())
    print(next(line for line in done.stdout.splitlines() if "SECONDS" in line), gdb.id)


def test_lc_all_c(gdb: Gdb) -> None:
    done = run_gdb(gdb, f"source {BOOTSTRAP}", *PROBE, env={"LC_ALL": "C", "LANG": "C"})
    assert_loaded(done, PACKAGE)


def test_read_only_home_and_cwd(gdb: Gdb) -> None:
    env = {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"}
    done = run_gdb(gdb, f"source {BOOTSTRAP}", *PROBE, env=env, cwd="/proc")
    assert_loaded(done, PACKAGE)
    assert os.access("/proc", os.R_OK)
