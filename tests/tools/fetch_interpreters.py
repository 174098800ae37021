#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetch CPython interpreters of other suites of Debian and Ubuntu into a cache, for the tests.

Each suite is unpacked into a folder of its own by a private apt configuration: the machine's
own packages and lists stay as they are. What cannot be had is told in one line, and is no failure.

    fetch_interpreters.py                     all suites, and stripped copies of pyenv interpreters
    fetch_interpreters.py --suite sid         one suite
    fetch_interpreters.py --headers --dbg     also headers, and Py_DEBUG builds with symbols
    fetch_interpreters.py --free-threaded     build 3.13t from the distribution's source
    fetch_interpreters.py --list              what the cache holds
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
DEFAULT_MIRROR = "http://deb.debian.org/debian"
UBUNTU_MIRROR = "http://archive.ubuntu.com/ubuntu"
UBUNTU_KEYS = "ubuntu-keyring"  # a package of Debian, so that Ubuntu is trusted by Debian's word
DOWNLOAD_TIMEOUT = 600
BUILD_TIMEOUT = 3600
# Newer suites have /lib and /lib64 as links into /usr; the links must be there before unpacking.
MERGED = {"lib": "usr/lib", "lib64": "usr/lib64", "bin": "usr/bin", "sbin": "usr/sbin"}


class Suite(NamedTuple):
    """One suite of a distribution and the CPython minors (such as "3.14") looked for in it."""

    name: str
    minors: tuple[str, ...]
    ubuntu: bool = False


SUITES = (
    Suite("trixie", ("3.13",)),
    Suite("forky", ("3.14", "3.15")),
    Suite("sid", ("3.14", "3.15")),
    Suite("bullseye", ("3.9",)),
    # Debian has passed them by: 3.14.0 and 3.14.4, whose collector is the incremental one.
    Suite("questing", ("3.14",), ubuntu=True),
    Suite("resolute", ("3.14",), ubuntu=True),
)
FREE_THREADED_SUITE = "trixie"
FREE_THREADED_SOURCE = "python3.13"


class CannotFetch(Exception):
    """Something is not to be had on this machine; the message says what."""


def cache_root() -> Path:
    """Return the folder that everything fetched or built for the tests lives in."""
    named = os.environ.get("GDB_EPI_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "gdb-epi"


def interpreters_root() -> Path:
    """Return the folder that holds one folder per suite."""
    return cache_root() / "interpreters"


def say(text: str) -> None:
    """Tell one line at once, also when standard output is a file."""
    print(f"fetch_interpreters: {text}", flush=True)


def run(command: Sequence[str], *, timeout: int, **options: object) -> str:
    """Run a command and return its standard output; CannotFetch tells the end of its errors."""
    try:
        done = subprocess.run(  # type: ignore[call-overload]
            command, capture_output=True, text=True, timeout=timeout, errors="replace", **options
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotFetch(f"{command[0]}: {error}") from None
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise CannotFetch(f"{command[0]}: {' | '.join(lines[-3:])}")
    return str(done.stdout)


# --- apt ------------------------------------------------------------------------------------------


def machine_mirror() -> str:
    """Return the Debian mirror that this machine's own sources name first."""
    sources = Path("/etc/apt").glob("sources.list.d/*.sources")
    lists = [Path("/etc/apt/sources.list"), *Path("/etc/apt").glob("sources.list.d/*.list")]
    for path in [*sorted(sources), *lists]:
        text = path.read_text(errors="replace") if path.is_file() else ""
        for address in re.findall(r"^(?:URIs:|deb(?:\s*\[.*?\])?)\s+(https?://\S+)", text, re.M):
            if address.rstrip("/").endswith("/debian"):
                return str(address).rstrip("/")
    return DEFAULT_MIRROR


def acquire_settings() -> str:
    """Return the machine's own download settings (proxies), without its hooks and index targets."""
    dump = run(["apt-config", "dump"], timeout=30)
    wanted = re.findall(r"^Acquire::(?:https?|ftp|Retries|Force)\S* \".*\";$", dump, re.M)
    return "\n".join(wanted)


def ubuntu_keyring() -> Path:
    """Return Ubuntu's keys out of Debian's package of them, fetching it when needed."""
    root = cache_root() / "keyrings"
    keyring = root / "usr/share/keyrings/ubuntu-archive-keyring.gpg"
    if not keyring.is_file():
        suite = SUITES[0].name
        environment = apt_environment(suite)
        update_lists(suite, environment, again=False)
        root.mkdir(parents=True, exist_ok=True)
        fetch = ["apt-get", "-q", "download", UBUNTU_KEYS]
        run(fetch, timeout=DOWNLOAD_TIMEOUT, env=environment, cwd=root)
        for package in root.glob("*.deb"):
            unpack(package, root)
            package.unlink()
    if not keyring.is_file():
        raise CannotFetch(f"{UBUNTU_KEYS} of Debian {SUITES[0].name} brought no {keyring.name}")
    return keyring


def apt_environment(
    suite: str, *, ubuntu: bool = False, updates: bool = False, architecture: str | None = None
) -> dict[str, str]:
    """Write a private apt configuration for a suite; return the environment that selects it.

    With `updates` what the suite got after its release too. `architecture`: that of a machine other
    than this one; its lists lie apart, below "SUITE-ARCHITECTURE".
    """
    base = cache_root() / "apt" / (f"{suite}-{architecture}" if architecture else suite)
    for folder in ("etc/parts", "state/lists/partial", "cache/archives/partial"):
        (base / folder).mkdir(parents=True, exist_ok=True)
    # An empty status file makes apt fetch the whole closure, libc6 included.
    (base / "status").write_text("")
    mirror = UBUNTU_MIRROR if ubuntu else machine_mirror()
    what = f"[signed-by={ubuntu_keyring() if ubuntu else KEYRING}] {mirror} {suite} main"
    what += " universe" if ubuntu else ""  # Debian has all of Python in main
    lines = f"deb {what}\ndeb-src {what}\n"
    if updates:
        lines += f"deb {what.replace(f' {suite} ', f' {suite}-updates ')}\n"
    (base / "etc/sources.list").write_text(lines)
    names = ("Architecture", "Architectures") if architecture else ()
    foreign = "\n".join(f'APT::{name} "{architecture}";' for name in names)
    configuration = base / "apt.conf"
    configuration.write_text(
        f"""{acquire_settings()}
Dir::Etc "{base}/etc";
Dir::Etc::sourcelist "{base}/etc/sources.list";
Dir::Etc::sourceparts "{base}/etc/parts";
Dir::Etc::parts "{base}/etc/parts";
Dir::Etc::main "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "{base}/etc/parts";
Dir::State "{base}/state";
Dir::State::status "{base}/status";
Dir::Cache "{base}/cache";
APT::Sandbox::User "{"root" if os.geteuid() == 0 else ""}";
APT::Install-Recommends "false";
Debug::NoLocking "true";
{foreign}
// A mirror's Release files of moving suites may be past their date; signatures are still checked.
Acquire::Check-Valid-Until "false";
Acquire::Check-Date "false";
Acquire::Languages "none";
Acquire::GzipIndexes "true";
"""
    )
    return {**os.environ, "APT_CONFIG": str(configuration), "LC_ALL": "C"}


def update_lists(suite: str, environment: dict[str, str], *, again: bool) -> None:
    """Fetch a suite's package lists unless they are there."""
    lists = cache_root() / "apt" / suite / "state/lists"
    if not again and any(lists.glob("*_Packages*")):
        return
    say(f"{suite}: fetching the package lists")
    run(["apt-get", "-q", "update"], timeout=DOWNLOAD_TIMEOUT, env=environment)
    if not any(lists.glob("*_Packages*")):
        raise CannotFetch(f"apt-get update brought no package list for {suite}")


def known_packages(environment: dict[str, str]) -> set[str]:
    """Return the names of the python packages in the fetched lists."""
    names = run(["apt-cache", "pkgnames", "python3."], timeout=60, env=environment).split()
    names += run(["apt-cache", "pkgnames", "libpython3."], timeout=60, env=environment).split()
    return set(names)


def wanted_packages(suite: Suite, *, headers: bool, dbg: bool) -> list[str]:
    """Return the package names to ask for in a suite."""
    names = ["tzdata"]
    for minor in suite.minors:
        names.append(f"python{minor}")
        names += [f"libpython{minor}-dev"] if headers else []
        names += [f"python{minor}-dbg", f"libpython{minor}-dbg"] if dbg else []
    return names


# --- unpacking ------------------------------------------------------------------------------------


def marker(name: str) -> Path:
    """Return the file that says what a finished folder of the cache holds."""
    return interpreters_root() / f"{name}.json"


def read_marker(name: str) -> dict[str, list[str]]:
    """Return what a marker says; empty when it is absent or damaged."""
    try:
        content = json.loads(marker(name).read_text())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def write_marker(name: str, content: dict[str, list[str]]) -> None:
    """Write a marker, so that a reader sees the old or the new one and never a half."""
    temporary = marker(name).with_suffix(".tmp")
    temporary.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
    temporary.replace(marker(name))


def unpack(package: Path, root: Path) -> None:
    """Unpack the files of one .deb below a root, running none of its scripts."""
    with subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE
    ) as reader:
        run(
            ["tar", "-x", "--keep-directory-symlink", "--no-same-owner", "-C", str(root)],
            timeout=DOWNLOAD_TIMEOUT,
            stdin=reader.stdout,
        )
    if reader.returncode != 0:
        raise CannotFetch(f"dpkg-deb could not read {package.name}")


def prepare_root(root: Path) -> None:
    """Make the folders that a program needs and no package of the closure brings."""
    for link, target in MERGED.items():
        (root / target).mkdir(parents=True, exist_ok=True)
        if not (root / link).exists():
            (root / link).symlink_to(target)
    for folder in ("tmp", "proc", "dev", "etc", "epi"):
        (root / folder).mkdir(exist_ok=True)
    (root / "tmp").chmod(0o1777)


def fetch_suite(suite: Suite, *, headers: bool, dbg: bool, refresh: bool) -> None:
    """Bring the interpreters of one suite into the cache; quick when they are there."""
    root = interpreters_root() / suite.name
    names = wanted_packages(suite, headers=headers, dbg=dbg)
    before = {} if refresh else read_marker(suite.name)
    settled = set(before.get("asked", []))
    if set(names) <= settled and root.is_dir():
        say(f"{suite.name}: already in {root}: {', '.join(before.get('present', []))}")
        return
    if not KEYRING.is_file():
        raise CannotFetch(f"{suite.name}: {KEYRING} is missing (not Debian?)")
    environment = apt_environment(suite.name, ubuntu=suite.ubuntu)
    update_lists(suite.name, environment, again=refresh)
    packages = known_packages(environment) | {"tzdata"}
    present = [name for name in names if name in packages]
    if not any(name.startswith("python3") for name in present):
        raise CannotFetch(f"{suite.name}: no wanted interpreter in its lists")
    download_and_unpack(suite.name, present, root, environment)
    write_marker(
        suite.name,
        {
            "asked": sorted(settled | set(names)),
            "present": sorted(set(before.get("present", [])) | set(present)),
        },
    )
    absent = sorted(set(names) - set(present))
    note = f" (not in this suite: {', '.join(absent)})" if absent else ""
    say(f"{suite.name}: {', '.join(present)} in {root}{note}")


def download_and_unpack(
    suite: str, names: Sequence[str], root: Path, environment: dict[str, str]
) -> None:
    """Download packages with their whole closure, unpack those not yet unpacked, drop the files."""
    archives = cache_root() / "apt" / suite / "cache/archives"
    say(f"{suite}: downloading {' '.join(names)} and what they need")
    run(
        ["apt-get", "-q", "-y", "--download-only", "install", *names],
        timeout=DOWNLOAD_TIMEOUT,
        env=environment,
    )
    prepare_root(root)
    record = root / "epi" / "unpacked"
    done = set(record.read_text().split()) if record.is_file() else set()
    for package in sorted(archives.glob("*.deb")):
        if package.name not in done:
            unpack(package, root)
            done.add(package.name)
    record.write_text("\n".join(sorted(done)) + "\n")
    for package in archives.glob("*.deb"):
        package.unlink()


# --- stripped copies ------------------------------------------------------------------------------


def pyenv_versions() -> list[Path]:
    """Return the folders of the pyenv interpreters 3.8 and newer."""
    base = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    folders = [path for path in base.glob("3.*") if re.fullmatch(r"3\.\d+\.\d+t?", path.name)]
    usable = [path for path in folders if int(path.name.split(".")[1]) >= 8]
    return sorted(path for path in usable if list((path / "bin").glob("python3.*")))


def strip_copy(source: Path, target: Path) -> None:
    """Copy one file without any symbol that the dynamic linker does not need."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)
    target.chmod(0o755)
    run(["strip", "--strip-all", str(target)], timeout=120)


def make_stripped(version: Path) -> bool:
    """Make a stripped copy of a pyenv interpreter; False when it is there already.

    The standard library is linked, not copied: the copy finds it by the landmark below its own lib.
    The compiled modules are copied, because their DWARF would tell CPython's structs too.
    """
    target = interpreters_root() / "stripped" / version.name
    if (target / "bin").is_dir():
        return False
    minor = ".".join(version.name.rstrip("t").split(".")[:2])
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    strip_copy((version / "bin" / f"python{minor}").resolve(), partial / "bin" / f"python{minor}")
    for library in (version / "lib").glob("libpython3.*.so*"):
        if not library.is_symlink():
            strip_copy(library, partial / "lib" / library.name)
    standard = partial / "lib" / f"python{minor}"
    standard.mkdir(parents=True, exist_ok=True)
    for entry in (version / "lib" / f"python{minor}").iterdir():
        if entry.name != "lib-dynload":
            (standard / entry.name).symlink_to(entry)
            continue
        for module in entry.glob("*.so"):
            strip_copy(module, standard / "lib-dynload" / module.name)
    partial.rename(target)
    return True


def make_all_stripped() -> None:
    """Make stripped copies of every pyenv interpreter there is."""
    if not shutil.which("strip"):
        raise CannotFetch("stripped copies: no strip (package binutils)")
    versions = pyenv_versions()
    if not versions:
        raise CannotFetch("stripped copies: no pyenv interpreter 3.8 or newer")
    made = [version.name for version in versions if make_stripped(version)]
    present = ", ".join(version.name for version in versions)
    say(f"stripped: {present} in {interpreters_root() / 'stripped'} ({len(made)} made now)")


# --- free-threaded build --------------------------------------------------------------------------


def build_free_threaded(jobs: int) -> None:
    """Build a free-threaded CPython with DWARF from the distribution's source."""
    target = interpreters_root() / "free-threaded"
    if (target / "bin").is_dir():
        say(f"free-threaded: already in {target}")
        return
    environment = apt_environment(FREE_THREADED_SUITE)
    update_lists(FREE_THREADED_SUITE, environment, again=False)
    work = cache_root() / "build" / "free-threaded"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    fetch = ["apt-get", "-q", "source", "--download-only", FREE_THREADED_SOURCE]
    run(fetch, timeout=DOWNLOAD_TIMEOUT, env=environment, cwd=work)
    tarballs = [path for path in work.glob("*.orig.tar.*") if path.suffix != ".asc"]
    if not tarballs:
        raise CannotFetch(f"free-threaded: no source tarball of {FREE_THREADED_SOURCE}")
    tree = work / "src"
    tree.mkdir()
    run(["tar", "-xf", str(tarballs[0]), "-C", str(tree), "--strip-components=1"], timeout=120)
    partial = target.with_name("free-threaded.partial")
    configure = ["./configure", "-q", "--disable-gil", "--without-ensurepip", f"--prefix={target}"]
    flags = {**os.environ, "CFLAGS": "-g", "OPT": "-O2 -DNDEBUG"}
    say(f"free-threaded: building {tarballs[0].name}, about five minutes of one core")
    run(configure, timeout=BUILD_TIMEOUT, cwd=tree, env=flags)
    run(["make", "-s", f"-j{jobs}"], timeout=BUILD_TIMEOUT, cwd=tree, env=flags)
    install = ["make", "-s", "altinstall", f"DESTDIR={partial}"]
    run(install, timeout=BUILD_TIMEOUT, cwd=tree, env=flags)
    (partial / target.relative_to("/")).rename(target)
    shutil.rmtree(partial, ignore_errors=True)
    shutil.rmtree(work, ignore_errors=True)
    say(f"free-threaded: built in {target}")


# --- command line ---------------------------------------------------------------------------------


@contextmanager
def locked(name: str = ".lock") -> Iterator[IO[str]]:
    """Hold a lock of the cache, so that two runs do not unpack into one folder."""
    interpreters_root().mkdir(parents=True, exist_ok=True)
    with (interpreters_root() / name).open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle


def list_cache() -> None:
    """Tell every interpreter executable that the cache holds."""
    for path in sorted(interpreters_root().glob("*/**/bin/python3.*")):
        if re.fullmatch(r"python3\.\d+t?", path.name) and not path.is_symlink():
            say(str(path))


def attempt(what: str, function: object, *arguments: object, **options: object) -> None:
    """Carry out one part; what cannot be had costs a note, not the other parts."""
    try:
        function(*arguments, **options)  # type: ignore[operator]
    except CannotFetch as reason:
        say(f"note: {what} is not to be had here: {reason}")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Fetch CPython interpreters for the test matrix.")
    names = [suite.name for suite in SUITES]
    parser.add_argument("--suite", action="append", choices=names, help="only this suite")
    parser.add_argument("--headers", action="store_true", help="also the -dev packages")
    parser.add_argument("--dbg", action="store_true", help="also the -dbg packages (DWARF)")
    parser.add_argument("--free-threaded", action="store_true", help="only build 3.13t")
    parser.add_argument("--refresh", action="store_true", help="fetch the package lists again")
    parser.add_argument("--jobs", type=int, default=1, help="processes of the build (default 1)")
    parser.add_argument("--list", action="store_true", help="tell what the cache holds and stop")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status, 0 also when something is not to be had."""
    options = parse(arguments)
    if options.list:
        list_cache()
        return 0
    started = time.monotonic()
    with locked():
        if options.free_threaded:
            attempt("the free-threaded build", build_free_threaded, options.jobs)
        else:
            fetch_all(options)
    say(f"done in {time.monotonic() - started:.1f} s")
    return 0


def fetch_all(options: argparse.Namespace) -> None:
    """Fetch every suite asked for, then make the stripped copies."""
    for suite in SUITES:
        if options.suite is None or suite.name in options.suite:
            flags = {"headers": options.headers, "dbg": options.dbg, "refresh": options.refresh}
            attempt(suite.name, fetch_suite, suite, **flags)
    if options.suite is None:
        attempt("the stripped copies", make_all_stripped)


if __name__ == "__main__":
    sys.exit(main())
