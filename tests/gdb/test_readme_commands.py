# SPDX-License-Identifier: Apache-2.0
"""The README's two commands, in their order, and then a GDB in another folder.

The commands are the README's own text, run in a copy of the checkout with a home folder of its own.
Two things are replaced: apt-get, which would change this machine, and the download of the packages
that gdb-epi needs, for new environments borrow those of the running one, pip and a setuptools
(`--heavy` downloads them too). The second command stops after its installation, for the rest of it
is the run that this test is part of.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

import pytest
from driver import ROOT, available_gdbs
from support.wheels import build_tools

BLOCKS = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
SECONDS = 600
# What belongs to one environment and cannot be borrowed.
OWN = re.compile(r"gdb_epi|__editable__|pip\b|pip-|setuptools|pkg_resources|_distutils|.*\.pth$")
UNREACHABLE = ("No matching distribution found", "Could not fetch", "ConnectionError", "timed out")

DO_NOTHING = "#!/bin/sh\n"
WITHOUT_SUDO = '#!/bin/sh\n[ "$1" != -n ] || shift\nexec "$@"\n'
# `python3 -m venv FOLDER`, and the folder with the borrowed packages, pip too, on its path.
LENDING_PYTHON = """#!/bin/sh
if [ "$1 $2" != "-m venv" ]; then exec "{python}" "$@"; fi
"{python}" -m venv --without-pip "$3" || exit
for site in "$3"/lib/python3*/site-packages; do echo "{packages}" > "$site/borrowed.pth"; done
printf '#!/bin/sh\\nexec "${{0%%/pip}}/python" -m pip "$@"\\n' > "$3/bin/pip"
chmod +x "$3/bin/pip"
"""


class Installed(NamedTuple):
    """The copy of the checkout in which both commands were run, and how to run more."""

    root: Path
    env: dict[str, str]


def stand_ins(folder: Path, *, borrow: bool) -> Path:
    """Write the programs that come first on PATH; return their folder."""
    texts = {"apt-get": DO_NOTHING, "sudo": WITHOUT_SUDO}
    if borrow:
        packages = folder / "packages"
        packages.mkdir()
        for path in Path(sysconfig.get_path("purelib")).iterdir():
            if not OWN.match(path.name) or path.name.startswith("pip"):
                (packages / path.name).symlink_to(path)
        for path in build_tools().iterdir():
            (packages / path.name).symlink_to(path)
        texts["python3"] = LENDING_PYTHON.format(python=sys.executable, packages=packages)
    programs = folder / "bin"
    programs.mkdir()
    for name, text in texts.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return programs


def run(command: str, cwd: Path, env: dict[str, str]) -> None:
    """Run a command of the README; skip where pip cannot get what builds a package."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=cwd, env=env, capture_output=True, text=True, timeout=SECONDS
    )
    if done.returncode and any(words in done.stderr for words in UNREACHABLE):
        pytest.skip(f"pip cannot get a package from an index: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


@pytest.fixture(params=["borrowed", pytest.param("downloaded", marks=pytest.mark.heavy)])
def installed(request: pytest.FixtureRequest, tmp_path: Path) -> Installed:
    """Both commands, one after the other."""
    for module in ("pip", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is missing beside the running Python (python3-venv)")
    # Other processes write into some of them meanwhile.
    names = (".git", ".venv*", ".*_cache", ".hypothesis", "__pycache__", "*.egg-info")
    skip = shutil.ignore_patterns(*names)
    shutil.copytree(ROOT, tmp_path / "checkout", ignore=skip)
    (tmp_path / "home").mkdir()
    other = ("PYTHON", "GDB_EPI", "XDG_", "VIRTUAL_ENV")
    env = {name: value for name, value in os.environ.items() if not name.startswith(other)}
    programs = stand_ins(tmp_path, borrow=request.param == "borrowed")
    env |= {"HOME": str(tmp_path / "home"), "PATH": f"{programs}:{env['PATH']}"}
    env |= {"PIP_CACHE_DIR": str(Path.home() / ".cache" / "pip")}
    if request.param == "borrowed":  # to pip "0" is what the options of these names do
        env |= {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_COMPILE": "0"}
    for command in (BLOCKS[0], BLOCKS[1].rstrip() + " --install-only"):
        run(command, tmp_path / "checkout", env)
    return Installed(tmp_path / "checkout", env)


def site_packages(environment: Path) -> Path:
    """Return where an environment keeps its packages."""
    (folder,) = environment.glob("lib/python3*/site-packages")
    return folder


@pytest.mark.skipif(
    not available_gdbs() or shutil.which("gdb") is None,
    reason="no GDB with Python 3.10 or later on PATH, which the README's first command installs",
)
@pytest.mark.heavy
def test_gdb_finds_the_extension_after_both_commands(installed: Installed, tmp_path: Path) -> None:
    """One test with all GDBs, for making the environments takes most of its time."""
    site = site_packages(installed.root / ".venv")
    assert list(site_packages(installed.root / ".venv-tests").glob("__editable__*gdb_epi*"))
    assert not list(site.glob("__editable__*gdb_epi*"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def output(*command: object) -> str:
        done = subprocess.run(
            [str(word) for word in command], cwd=elsewhere, env=installed.env,
            capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
        return done.stdout

    which = "python import gdb_epi; print('LOADED', gdb_epi.__file__)"
    commands = ("source gdb_epi", "epi doctor", which, "quit $epi_status")
    words = [word for command in commands for word in ("-ex", command)]
    for gdb in available_gdbs():
        shown = output(gdb.path, "-batch", *words)
        assert f"LOADED {site / 'gdb_epi' / '__init__.py'}" in shown
    shown = output(installed.root / ".venv" / "bin" / "gdb-epi", "doctor", "--all")
    lines = [line.strip() for line in shown.splitlines() if "source gdb_epi  " in line]
    assert lines and all(line.endswith(": works") for line in lines), shown
