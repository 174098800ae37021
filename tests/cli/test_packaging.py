# SPDX-License-Identifier: Apache-2.0
"""The wheel and the sdist hold all that runs, and what is installed works without the tree."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from support.wheels import CLEAN, built, run

from gdb_epi import __version__


def expected_files(tree: Path) -> set[str]:
    """The files of the package as they must be installed, from the tree itself."""
    paths = set()
    for folder, name in ((tree / "gdb_epi", "gdb_epi"), (tree / "commands", "gdb_epi/commands")):
        for path in folder.rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                paths.add(f"{name}/{path.relative_to(folder)}")
    return paths


MADE = (
    "share/man/man1/gdb-epi.1",
    "share/bash-completion/completions/gdb-epi",
    "share/zsh/site-functions/_gdb-epi",
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The copy of the tree that was built."""
    return built(tmp_path_factory).tree


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution."""
    return built(tmp_path_factory).sdist


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the sdist alone."""
    return built(tmp_path_factory).wheel


def test_the_sdist_holds_the_package_and_the_commands(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    assert {"setup.py", "LICENSE", "commands/push.py", "gdb_epi/gdb_epi"} <= names
    assert not [name for name in names if "__pycache__" in name]


def test_the_wheel_holds_every_file_of_the_package(tree: Path, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert wheel.name.startswith(f"gdb_epi-{__version__}-py3-none-any")
    # The shell command is installed as a script of our own (gdb_epi/cli/gdb-epi).
    scripts = {name for name in names if ".data/scripts/" in name}
    assert {Path(name).name for name in scripts} == {"gdb-epi"}
    made = {name for name in names if ".data/data/" in name}
    assert {name.split(".data/data/")[1] for name in made} == set(MADE)
    assert names - scripts - made == expected_files(tree)


def test_the_wheel_has_the_plugin_of_pytest(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        text = archive.read(name).decode()
    assert text.split() == ["[pytest11]", "epi", "=", "gdb_epi.pytest_plugin"]


def test_the_wheel_tells_what_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(name).decode()
    assert "Requires-Python: >=3.10" in text
    always = [x for x in text.splitlines() if x.startswith("Requires-Dist:") and "extra" not in x]
    assert sorted(line.split()[1].lower() for line in always) == [
        "pyelftools",
        "pygments",
        "tabulate",
    ]
    for extra in ("fleet", "gdb", "dev"):
        assert f"Provides-Extra: {extra}" in text


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel installed."""
    target = tmp_path_factory.mktemp("site")
    words = ("-m", "pip", "install", "-q", "--no-compile", "--no-deps", "--no-index")
    words += ("--target", target, wheel)
    run(sys.executable, *words, cwd=target)
    return target


def test_the_installed_command_runs(installed: Path, shell, core) -> None:
    program = installed / "bin" / "gdb-epi"
    env = {**shell.env, "PYTHONPATH": str(installed)}
    assert run(program, "--version", cwd=installed, env=env) == f"gdb-epi {__version__}\n"
    out = run(program, "triage", "--native", "never", "--no-db", core, cwd=installed, env=env)
    assert "copy_payload" in out


def test_the_installed_commands_load(installed: Path) -> None:
    code = (
        "import gdb_epi.loader as loader, gdb_epi.registry as registry;"
        "errors = loader.load_commands(); print(errors, sorted(registry.COMMANDS))"
    )
    env = {**CLEAN, "PYTHONPATH": str(installed)}
    out = run(sys.executable, "-c", code, cwd=installed, env=env)
    assert out.startswith("[] ") and "'push'" in out and "'bt'" in out


def test_the_command_runs_from_an_environment_whose_path_has_a_blank(
    wheel: Path, tmp_path: Path
) -> None:
    home = tmp_path / "a b"
    run(sys.executable, "-m", "venv", "--without-pip", home, cwd=tmp_path)
    words = ("-m", "pip", "--python", home / "bin" / "python3", "install", "-q", "--no-compile")
    words += ("--no-deps",)
    run(sys.executable, *words, "--no-index", wheel, cwd=tmp_path)
    program = home / "bin" / "gdb-epi"
    version_line = f"gdb-epi {__version__}\n"
    assert run(program, "--version", cwd=tmp_path, env=CLEAN) == version_line
    link = tmp_path / "linked"
    link.symlink_to(program)
    assert run(link, "--version", cwd=tmp_path, env=CLEAN) == version_line


BASH = """
source "$1/share/bash-completion/completions/gdb-epi"
complete -p gdb-epi
tab() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gdb_epi; echo "${COMPREPLY[*]}"; }
tab gdb-epi tri
tab gdb-epi fleet to
tab gdb-epi fleet top --d
tab gdb-epi completion ""
tab gdb-epi fleet export --format ""
tab gdb-epi triage ./co
tab gdb-epi triage --exe x
tab gdb-epi --ver
tab gdb-epi loc
tab gdb-epi locks --gr
"""


def test_the_completion_of_bash(installed: Path) -> None:
    if not shutil.which("bash"):
        pytest.skip("no bash to complete in; try: apt install bash")
    out = run("bash", "--norc", "-c", BASH, "x", installed, cwd=installed)
    registered, triage, top, options, *others = out.rstrip("\n").split("\n")
    assert registered == "complete -o bashdefault -o default -F _gdb_epi gdb-epi"
    assert (triage, top) == ("triage", "top") and "--db" in options.split()
    assert others == [
        "bash zsh",
        "jsonl parquet lake",
        "",
        "",
        "--version",
        "locals locks",
        "--graph",
    ]


def test_the_completion_of_zsh(installed: Path) -> None:
    file = installed / "share/zsh/site-functions/_gdb-epi"
    text = file.read_text()
    assert text.startswith("#compdef gdb-epi\n") and "'triage:" in text and "'locks:" in text
    if not shutil.which("zsh"):
        pytest.skip("no zsh to read it with; try: apt install zsh")
    run("zsh", "-n", file, cwd=installed)


def test_the_manual_page(installed: Path) -> None:
    page = installed / "share/man/man1/gdb-epi.1"
    if not shutil.which("groff"):
        pytest.skip("no groff to read it with; try: apt install groff")
    words = ("groff", "-man", "-Tascii", "-ww", "-P-cbou", page)
    done = subprocess.run(words, capture_output=True, text=True, env=CLEAN)
    assert done.returncode == 0 and not done.stderr, done.stderr
    for text in ("gdb-epi triage CORE", "--no-db", "epi bt", "EXIT STATUS", "gdb-epi fleet top"):
        assert text in done.stdout, text
    assert __version__ in done.stdout
