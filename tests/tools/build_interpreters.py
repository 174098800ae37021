#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build the CPython interpreters that people run and no distribution packages, for the tests.

    build_interpreters.py                  what is not in the cache yet, one after another
    build_interpreters.py standalone-3.14  one of them
    build_interpreters.py standalone-3.13 --without bolt --without pgo   sooner, on a slow machine
    build_interpreters.py --list           what can be built, and what the cache holds

Sources and compilers are Debian's packages, unpacked into folders of their own (see
fetch_interpreters.py); where a mirror no longer has a source, Ubuntu's is taken. Every build runs
under `nice`. What cannot be had is told in one line, and is no failure.

`standalone` are builds like those that uv installs (astral-sh/python-build-standalone,
cpython-unix/build-cpython.sh and targets.yml, August 2026): clang, PGO, thin LTO and BOLT, frame
pointers, libpython and the modules of the standard library inside of the executable, from 3.14 on
the tail-calling interpreter, and no symbols. Two things differ: the training of PGO and BOLT is
a few minutes of CPython's tests instead of an hour, so that other functions are split; and only
libffi and zlib are linked statically, for the rest the machine's shared libraries serve. With
everything a build is two compilations and six links, half an hour of one core; the file `whole` in
its folder says what it was configured with.
`musl` runs on musl's libc by musl's own loader, as in Alpine Linux.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fetch_interpreters import (
    BUILD_TIMEOUT,
    DOWNLOAD_TIMEOUT,
    CannotFetch,
    apt_environment,
    attempt,
    cache_root,
    download_and_unpack,
    interpreters_root,
    locked,
    run,
    update_lists,
)

CLANG = "19"  # the first that compiles the tail-calling interpreter
CLANG_PACKAGES = tuple(f"{name}-{CLANG}" for name in ("clang", "lld", "llvm", "bolt"))
CLANG_PACKAGES += (f"libclang-rt-{CLANG}-dev",)
MUSL_PACKAGES = ("musl", "musl-dev", "musl-tools")
# The process' own C library must stay the machine's.
GLIBC = "ld-|lib(c|m|mvec|pthread|dl|rt|util|resolv|nss_.*|nsl|anl|thread_db|BrokenLocale)[.-]"
# targets.yml: x86_64-unknown-linux-gnu
HARDENED = "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fstack-protector"
HARDENED += " -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
HARDENED += " -fPIC -fdebug-default-version=4"
RELRO = "-fuse-ld=lld -Wl,-z,noexecstack -Wl,-z,relro -Wl,-z,now -Wl,--exclude-libs,ALL"
OPTIMIZED = ("--enable-optimizations", "--with-lto=thin", "--enable-bolt")
STANDALONE = (*OPTIMIZED, "MODULE_BUILDTYPE=static")
LEFT_OUT = {"pgo": "--enable-optimizations", "lto": "--with-lto=thin", "bolt": "--enable-bolt"}
TRAINING = "-m test --pgo test_json test_generators test_dict test_re test_exceptions"
COMMON = ("--without-ensurepip", "--disable-test-modules")
KERNEL_HEADERS = {"linux": "linux", "asm-generic": "asm-generic", "asm": "x86_64-linux-gnu/asm"}
LIBFFI = "libffi"


class Recipe(NamedTuple):
    """How to build one interpreter; `family` is the first part of its id in the tests."""

    family: str
    minor: str
    toolchain: str  # "clang", "gcc" or "musl"
    configure: tuple[str, ...]
    strip: bool = False

    @property
    def name(self) -> str:
        """Return the name of its folder in the cache."""
        return f"{self.family}-{self.minor}"


RECIPES = (
    Recipe("standalone", "3.13", "clang", STANDALONE, strip=True),
    Recipe("standalone", "3.14", "clang", (*STANDALONE, "--with-tail-call-interp"), strip=True),
    Recipe("ft", "3.14", "gcc", ("--disable-gil",)),
    Recipe("ft", "3.15", "gcc", ("--disable-gil",)),
    Recipe("musl", "3.13", "musl", ("--enable-shared",), strip=True),
)
# Suites that may have the source of a minor version, in this order; True for Ubuntu's.
SOURCES = {
    "3.13": (("trixie", False),),
    "3.14": (("forky", False), ("sid", False), ("resolute", True), ("questing", True)),
    "3.15": (("forky", False), ("sid", False), ("stonking", True)),
}


def say(text: str) -> None:
    """Tell one line at once, also when standard output is a file."""
    print(f"build_interpreters: {text}", flush=True)


def built_root() -> Path:
    """Return the folder that holds one folder per interpreter built here."""
    return interpreters_root() / "built"


# --- sources and compilers ------------------------------------------------------------------------


def source_tree(package: str, suites: Sequence[tuple[str, bool]], work: Path) -> Path:
    """Download and unpack the upstream source of a package out of the first suite that has it."""
    reasons = []
    for suite, ubuntu in suites:
        try:
            environment = apt_environment(suite, ubuntu=ubuntu)
            update_lists(suite, environment, again=False)
            fetch = ["apt-get", "-q", "source", "--download-only", "--tar-only", package]
            run(fetch, timeout=DOWNLOAD_TIMEOUT, env=environment, cwd=work)
        except CannotFetch as reason:
            reasons.append(f"{suite}: {reason}")
            continue
        (archive,) = (p for p in work.glob(f"{package}_*.orig.tar.*") if p.suffix != ".asc")
        tree = work / package
        tree.mkdir()
        unpack = ["tar", "-xf", str(archive), "-C", str(tree), "--strip-components=1"]
        run(unpack, timeout=DOWNLOAD_TIMEOUT)
        say(f"source: {archive.name} of {suite}")
        return tree
    raise CannotFetch(f"no source of {package}: {'; '.join(reasons)}")


def own_suite() -> str:
    """Return the suite of this machine, whose compilers run on its C library."""
    text = Path("/etc/os-release").read_text(errors="replace")
    matched = re.search(r'^VERSION_CODENAME="?([\w.-]+)', text, re.M)
    if matched is None or not re.search(r"^ID=debian$", text, re.M):
        raise CannotFetch("this machine is not Debian: no compiler to take")
    return matched[1]


def unpacked(name: str, packages: Sequence[str]) -> Path:
    """Return a folder with packages of this machine's suite and all that they need."""
    root = cache_root() / "toolchains" / name
    if not (root / "epi" / "whole").is_file():
        suite = own_suite()
        environment = apt_environment(suite)
        update_lists(suite, environment, again=False)
        download_and_unpack(suite, packages, root, environment)
        (root / "epi" / "whole").touch()
    return root


def clang_environment() -> dict[str, str]:
    """Return the variables that compile like python-build-standalone."""
    root = unpacked("clang", CLANG_PACKAGES)
    programs = root / f"usr/lib/llvm-{CLANG}"
    libraries, starters = root / "epi" / "lib", root / "epi" / "bin"
    for folder in (libraries, starters):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for library in (root / "usr/lib/x86_64-linux-gnu").glob("*.so.*"):
        if not re.match(GLIBC, library.name):
            (libraries / library.name).symlink_to(library)
    for program in (programs / "bin").iterdir():
        starter = starters / program.name
        where = f"LD_LIBRARY_PATH={programs / 'lib'}:{libraries}"
        starter.write_text(f'#!/bin/sh\n{where} exec {program} "$@"\n')
        starter.chmod(0o755)
    return {
        "PATH": f"{starters}:/usr/bin:/bin",
        "CC": "clang",
        "CXX": "clang++",
        "CFLAGS": HARDENED,
        "OPT": "-DNDEBUG -fwrapv -O3 -Wall",  # configure's own but for -g: strip takes that away
        "LDFLAGS": RELRO,
        "LIBFFI_LIBS": "-l:libffi.a",
        "ZLIB_LIBS": "-l:libz.a",
        "PROFILE_TASK": TRAINING,
    }


def musl_environment(prefix: Path, work: Path) -> dict[str, str]:
    """Return the variables that compile for musl, with libffi built for it too.

    musl-gcc's specs name /usr; here they name the unpacked folder. The loader goes into the
    prefix, for the machine has none.
    """
    root = unpacked("musl", MUSL_PACKAGES)
    home = root / "usr/lib/x86_64-linux-musl"
    loader = prefix / "lib/ld-musl-x86_64.so.1"
    specs = (home / "musl-gcc.specs").read_text()
    specs = specs.replace("/lib/ld-musl-x86_64.so.1", str(loader))
    specs = specs.replace("/usr/", f"{root}/usr/")
    (work / "specs").write_text(specs)
    compiler = work / "musl-gcc"
    # configure compares its own idea of the platform with what the compiler calls it.
    compiler.write_text(
        '#!/bin/sh\n[ "$*" = --print-multiarch ] && exec echo x86_64-linux-musl\n'
        f'exec gcc "$@" -specs {work / "specs"}\n'
    )
    compiler.chmod(0o755)
    headers = work / "kernel"
    headers.mkdir()
    for name, place in KERNEL_HEADERS.items():
        (headers / name).symlink_to(Path("/usr/include") / place)
    loader.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(home / "libc.so", loader)
    environment = {
        "PATH": "/usr/bin:/bin",
        "CC": str(compiler),
        "CFLAGS": f"-O2 -idirafter {headers}",
    }
    tree = source_tree(LIBFFI, ((own_suite(), False),), work)
    static = ["--disable-shared", "--with-pic", "--disable-docs", f"--prefix={work / 'ffi'}"]
    make(tree, [*static, "--host=x86_64-linux-musl"], ["install"], environment, 1)
    ffi = work / "ffi"
    return {
        **environment,
        "LIBFFI_CFLAGS": f"-I{ffi / 'include'}",
        "LIBFFI_LIBS": f"-L{ffi / 'lib'} -L{ffi / 'lib64'} -lffi",
        "PKG_CONFIG_LIBDIR": str(work / "none"),  # the machine's libraries are glibc's
        "LDFLAGS": f"-Wl,-rpath,{prefix / 'lib'}",
    }


# --- building -------------------------------------------------------------------------------------


def make(
    tree: Path,
    configure: Sequence[str],
    install: Sequence[str],
    environment: Mapping[str, str],
    jobs: int,
) -> None:
    """Configure, build and install one tree at the lowest priority."""
    # At the lowest priority beside other work, PGO alone takes more than an hour.
    options = {"timeout": 3 * BUILD_TIMEOUT, "cwd": tree, "env": {"LC_ALL": "C", **environment}}
    run(["nice", "./configure", "-q", *configure], **options)
    # A test program with all of Python in it: with thin LTO one link of minutes in three. And with
    # LTO configure asks for debug information, which is stripped afterwards.
    makefile = tree / "Makefile"
    text = makefile.read_text().replace(" Programs/_testembed ", " ")
    makefile.write_text(text.replace("-flto=thin -g ", "-flto=thin "))
    run(["nice", "make", "-s", f"-j{jobs}"], **options)
    run(["nice", "make", "-s", *install], **options)


def strip_all(prefix: Path) -> None:
    """Take every symbol out of the executable, the library and the modules."""
    files = [*prefix.glob("bin/python3.*"), *prefix.glob("lib/**/*.so*")]
    for path in files:
        if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF":
            path.chmod(0o755)
            run(["strip", "--strip-all", str(path)], timeout=120)


def build(recipe: Recipe, jobs: int, left_out: Sequence[str] = ()) -> None:
    """Build one interpreter into the cache; quick when it is there."""
    prefix = built_root() / recipe.name
    if (prefix / "whole").is_file():
        say(f"{recipe.name}: already in {prefix}")
        return
    work = cache_root() / "build" / recipe.name
    for folder in (work, prefix):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    tree = source_tree(f"python{recipe.minor}", SOURCES[recipe.minor], work)
    environment = {"PATH": "/usr/bin:/bin", "CFLAGS": "-g", "OPT": "-O2 -DNDEBUG"}
    if recipe.toolchain == "clang":
        environment = clang_environment()
    elif recipe.toolchain == "musl":
        environment = musl_environment(prefix, work)
    # All digests are inside of _hmac once more, which a static build cannot link twice.
    (tree / "Modules/Setup.local").write_text("*disabled*\n_hmac\n")
    say(f"{recipe.name}: building, {'half an hour' if recipe.strip else 'minutes'} of one core")
    started = time.monotonic()
    unwanted = [LEFT_OUT[name] for name in left_out]
    own = [option for option in recipe.configure if option not in unwanted]
    configure = [f"--prefix={prefix}", *COMMON, *own]
    make(tree, configure, ["altinstall"], environment, jobs)
    if recipe.strip:
        strip_all(prefix)
    shutil.rmtree(work, ignore_errors=True)
    (prefix / "whole").write_text(" ".join(own) + "\n")
    say(f"{recipe.name}: built in {time.monotonic() - started:.0f} s: {prefix}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status, 0 also when something is not to be had."""
    parser = argparse.ArgumentParser(description="Build CPython interpreters for the test matrix.")
    names = [recipe.name for recipe in RECIPES]
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--jobs", type=int, default=1, help="processes of a build (default 1)")
    parser.add_argument(
        "--without", action="append", choices=LEFT_OUT, default=[], help="leave out what takes long"
    )
    parser.add_argument("--list", action="store_true", help="tell what can be built and stop")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    wanted = [r for r in RECIPES if r.name in options.names or not options.names]
    if options.list:
        for recipe in wanted:
            there = (built_root() / recipe.name / "whole").is_file()
            say(f"{recipe.name}: {'built' if there else 'not built'}")
        return 0
    with locked(".build.lock"):  # not that of fetch_interpreters: a build takes half an hour
        for recipe in wanted:
            attempt(recipe.name, build, recipe, options.jobs, options.without)
    return 0


if __name__ == "__main__":
    sys.exit(main())
