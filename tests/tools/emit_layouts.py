# SPDX-License-Identifier: Apache-2.0
"""Make cpython/layout/generated/*.json again: run GDB over interpreters with debug information.

    python tests/tools/emit_layouts.py --prefix ~/.pyenv/versions/3.12.1
    python tests/tools/emit_layouts.py --headers /usr/include/python3.14 -D Py_GIL_DISABLED=1

The first form reads libpython (or the executable) and a few extension modules of an installed
interpreter, or their separate debug files; macros come from its headers. The second form has
nothing but headers.
`--other NAME` keeps the table of another build beside the shipped one, in others/: structs move
between patch releases, and without perf trampolines (musl: --headers of a copy in which pyconfig.h
does not define PY_HAVE_PERF_TRAMPOLINE). `--check` compares with the shipped table instead of
writing it. `--missing` adds to all shipped tables of that version and kind of build the constants
and structs that they lack, and changes nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
sys.path.insert(0, str(Path(__file__).resolve().parent))

from layout_from_headers import build_stub, debug_offsets_map
from support.layout_tables import add_variants, dump_layout

from gdb_epi.cpython.layout.struct_specs import STRUCTS

LAYOUTS = ROOT / "gdb_epi" / "cpython" / "layout" / "generated"
EXTENSIONS = ("_asyncio", "_queue", "_multiprocessing", "_datetime", "_functools")
FLAVOURS = ("free_threaded", "debug")
# Last members that free-threaded builds alone have, of structs private to .c files: no debug
# information of another build has them (Modules/_asynciomodule.c, from 3.14 on).
FREE_THREADED_ENDS = {"TaskObj": "unsigned long task_tid;"}


def run_gdb(script: str, file: Path, gdb: str, prefix: Path, **variables: str) -> str:
    """Run one of the scripts beside this one over `file`; return what it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        environment |= {"GDB_EPI_ROOT": str(ROOT), "GDB_EPI_OUT": str(out), **variables}
        settings = ("set auto-load off", f"set debug-file-directory {prefix / 'lib' / 'debug'}")
        command = [gdb, "-nx", "-batch", *(x for s in settings for x in ("-iex", s))]
        command += ["-x", str(Path(__file__).with_name(script)), str(file)]
        run = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if not out.is_file():
            raise RuntimeError(f"GDB wrote nothing for {file}:\n{run.stderr[-2000:]}")
        return out.read_text()


def types_of(file: Path, gdb: str = "gdb", prefix: Path = Path("/usr")) -> dict[str, Any]:
    """Return the layout document of one file, read by a GDB process."""
    document: dict[str, Any] = json.loads(run_gdb("emit_in_gdb.py", file, gdb, prefix))
    return document


def build_id(file: Path) -> str | None:
    """Return the GNU build-id of an ELF file."""
    run = subprocess.run(["readelf", "-n", str(file)], capture_output=True, text=True, check=False)
    matched = re.search(r"Build ID: ([0-9a-f]+)", run.stdout)
    return matched[1] if matched else None


def merge(documents: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one document; for each name the first document that has it decides."""
    first = documents[0]
    for other in documents[1:]:
        for section in ("structs", "constants"):
            for name, value in other[section].items():
                first[section].setdefault(name, value)
    missing = set(first["header"]["missing"]) - set(first["structs"])
    first["header"]["missing"] = sorted(missing)
    return first


def _defined(text: str, macro: str) -> bool:
    return re.search(rf"^#\s*define\s+{macro}\s+1\b", text, re.M) is not None


def describe(include: Path, defines: list[str]) -> dict[str, Any]:
    """Return the version and the flavour that the headers (and -D options) say."""
    text = (include / "patchlevel.h").read_text()
    version = re.search(r'define PY_VERSION\s+"([^"]+)"', text)
    assert version is not None
    config = ""
    for path in (include, include.parent / "x86_64-linux-gnu" / include.name):
        if (path / "pyconfig.h").is_file():
            config += (path / "pyconfig.h").read_text()
    names = {d.partition("=")[0] for d in defines}
    major, minor = version[1].split(".")[:2]
    return {
        "version": [int(major), int(minor)],
        "python": version[1],
        "free_threaded": "Py_GIL_DISABLED" in names or _defined(config, "Py_GIL_DISABLED"),
        "debug": "Py_DEBUG" in names or _defined(config, "Py_DEBUG"),
        "arch": "x86_64",
    }


def interpreters(prefix: Path) -> list[str]:
    """Return the ABI names ("3.12", "3.14d") of the interpreters whose headers are in `prefix`."""
    return sorted(p.parent.name[6:] for p in prefix.glob("include/python3*/Python.h"))


def _sources(prefix: Path, abi: str) -> tuple[Path, list[Path]]:
    """Return the main file and the extension modules of an interpreter."""
    library = prefix / "lib" / f"libpython{abi}.so.1.0"
    main = library if library.is_file() else prefix / "bin" / f"python{abi}"
    folder = prefix / "lib" / f"python{abi.rstrip('td')}" / "lib-dynload"
    if not folder.is_dir():
        folder = prefix / "lib" / f"python{abi}" / "lib-dynload"
    tag = f"cpython-{abi.replace('.', '')}-"
    return main, [p for name in EXTENSIONS for p in sorted(folder.glob(f"{name}.{tag}*.so"))]


def debug_file(file: Path, prefix: Path) -> Path | None:
    """Return the file that holds the debug information of `file`. Absent when there is none."""
    run = subprocess.run(["readelf", "-SW", str(file)], capture_output=True, text=True, check=False)
    if ".debug_info" in run.stdout:
        return file
    name = build_id(file) or "--"
    separate = prefix / "lib" / "debug" / ".build-id" / name[:2] / f"{name[2:]}.debug"
    return separate if separate.is_file() else None


def debug_files(prefix: Path, abi: str) -> dict[Path, Path]:
    """Return file -> debug file; the first is the main file. Raise LookupError without one."""
    main, modules = _sources(prefix, abi)
    pairs = {file: debug_file(file, prefix) for file in (main, *modules) if file.is_file()}
    if pairs.get(main) is None:
        raise LookupError(f"{main} is missing or has no debug information")
    return {file: debug for file, debug in pairs.items() if debug}


def from_prefix(prefix: Path, abi: str, gdb: str = "gdb") -> dict[str, Any]:
    """Return the document of an installed interpreter; raise LookupError without debug info."""
    files = debug_files(prefix, abi)
    include = prefix / "include" / f"python{abi}"
    with tempfile.TemporaryDirectory() as folder:
        stub = build_stub(include, Path(folder) / "stub.o")
        documents = [types_of(debug, gdb, prefix) for debug in files.values()]
        macros = types_of(stub, gdb)
    if "PyThreadState" not in documents[0]["structs"]:
        raise LookupError(f"{prefix} {abi} has no debug information about CPython")
    documents.append({"structs": {}, "constants": macros["constants"]})
    return _finish(merge(documents), include, [], list(files), "dwarf")


def private_declarations(
    document: dict[str, Any], prefix: Path, abi: str, gdb: str
) -> tuple[str, list[str]]:
    """Return C for the structs that `document` lacks, from another build of the same version."""
    texts, names = "", []
    for debug in debug_files(prefix, abi).values():
        there = types_of(debug, gdb, prefix)["structs"]
        wanted = [n for n in document["header"]["missing"] if n in there and n not in names]
        if wanted:
            public = " ".join(document["structs"])
            private = " ".join(wanted)
            texts += run_gdb(
                "declare_in_gdb.py",
                debug,
                gdb,
                prefix,
                GDB_EPI_PUBLIC=public,
                GDB_EPI_PRIVATE=private,
            )
            names += wanted
    return texts, sorted(names)


def with_free_threaded_ends(declarations: str) -> str:
    """Return C declarations with the members that only free-threaded builds have."""
    for name, member in FREE_THREADED_ENDS.items():
        declarations = declarations.replace(f"}} {name};", f"{member} }} {name};")
    return declarations


def private_constants(private: tuple[Path, str], gdb: str) -> dict[str, int]:
    """Return the enumerators that another build of the same version has, in its .c files too.

    No configure option changes their values; macros are not in debug information.
    """
    prefix, abi = private
    documents = [types_of(debug, gdb, prefix) for debug in debug_files(prefix, abi).values()]
    constants: dict[str, int] = merge(documents)["constants"]
    return constants


def from_headers(
    include: Path, defines: list[str], gdb: str, private: tuple[Path, str] | None = None
) -> dict[str, Any]:
    """Return the document of a build of which only the headers are known.

    `private` is the prefix and ABI name of another build with debug information, from which the
    members of structs private to .c files are taken; such structs are listed in the header.
    """
    flags = [f"-D{define}" for define in defines]
    names: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        stub = build_stub(include, Path(folder) / "stub.o", flags)
        document = types_of(stub, gdb)
        if private:
            extra, names = private_declarations(document, *private, gdb)
            # A build of the same kind says it all itself.
            header = describe(include, defines)
            is_other = not private[1].rstrip("d").endswith("t")
            if header["free_threaded"] and is_other and header["version"] >= [3, 14]:
                extra = with_free_threaded_ends(extra)
            document = types_of(build_stub(include, stub, flags, extra), gdb)
            document["constants"] = private_constants(private, gdb) | document["constants"]
    document = _finish(document, include, defines, [], "headers")
    if names:
        document["header"]["redeclared"] = names
    return document


def _finish(
    document: dict[str, Any], include: Path, defines: list[str], files: list[Path], how: str
) -> dict[str, Any]:
    header = describe(include, defines)
    stem = table_name(header).removesuffix(".json")
    origin = "DWARF" if how == "dwarf" else "headers"
    document["debug_offsets"] = {
        word: place
        for word, place in debug_offsets_map(include).items()
        if place[0] in document["structs"]
        and (not place[1] or place[1] in document["structs"][place[0]][1])
    }
    document["header"] = {
        "source": f"table {stem} ({origin} of {header['python']})",
        **header,
        "how": how,
        "build_id": build_id(files[0]) if files else None,
        "files": [f.name for f in files],
        "gdb": document["header"]["gdb"],
        "command": " ".join(["python", *sys.argv]).replace(str(Path.home()), "~"),
        "missing": document["header"]["missing"],
    }
    return document


def table_name(header: dict[str, Any], *, other: str = "") -> str:
    """Return the file name of a table: cp313t.json, others/cp314-3.14.0.json."""
    flavour = ("t" if header["free_threaded"] else "") + ("d" if header["debug"] else "")
    stem = f"cp{header['version'][0]}{header['version'][1]}{flavour}"
    return f"others/{stem}-{other}.json" if other else f"{stem}.json"


def differences(old: dict[str, Any], new: dict[str, Any]) -> tuple[int, list[str]]:
    """Return how many members both documents have, and where those differ."""
    compared, texts = 0, []
    for name in sorted(old["structs"].keys() & new["structs"].keys()):
        before, after = old["structs"][name], new["structs"][name]
        if before[0] != after[0]:
            texts.append(f"{name}: size {before[0]} / {after[0]}")
        for path in before[1].keys() | after[1].keys():
            one, two = before[1].get(path), after[1].get(path)
            compared += one is not None and two is not None
            if one != two:
                texts.append(f"{name}.{path}: {one} / {two}")
    for name in sorted(old["constants"].keys() & new["constants"].keys()):
        if old["constants"][name] != new["constants"][name]:
            texts.append(f"{name}: {old['constants'][name]} / {new['constants'][name]}")
    return compared, texts


def add_missing(table: Path, document: dict[str, Any]) -> None:
    """Add to a shipped table the constants and structs that it lacks, if it is of that build."""
    shipped = json.loads(table.read_text())
    if any(shipped["header"][k] != document["header"][k] for k in ("version", *FLAVOURS)):
        return
    added = []
    for section in ("constants", "structs"):
        names = document[section].keys() - shipped[section].keys()
        added += names
        shipped[section] |= {n: value for n, value in document[section].items() if n in names}
    shipped["header"]["missing"] = sorted(STRUCTS.keys() - shipped["structs"].keys())
    table.write_text(dump_layout(shipped))
    print(f"{table.name}: added {', '.join(sorted(added)) or 'nothing'}")


def _add_variants(document: dict[str, Any], other: dict[str, Any]) -> None:
    names = add_variants(document, other)
    header = other["header"]
    note = f"{', '.join(names)}: {header['how']} of {header['python']}, {header['build_id']}"
    if names:
        document["header"].setdefault("variants_from", []).append(note)
    print(f"other variants of {note}")


def main() -> int:
    """Write or check tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prefix", type=Path, action="append", default=[])
    parser.add_argument("--abi", action="append", default=[], help='such as "3.14d"')
    parser.add_argument("--headers", type=Path, action="append", default=[])
    parser.add_argument(
        "--private-from",
        metavar="PREFIX:ABI",
        help="with --headers: build whose debug information tells the private structs",
    )
    parser.add_argument(
        "--also",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="document of another patch release, for structs that changed in between",
    )
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("--gdb", default="gdb")
    parser.add_argument("--out", type=Path, default=LAYOUTS)
    parser.add_argument("--check", action="store_true", help="compare with the shipped tables")
    parser.add_argument(
        "--other", metavar="NAME", help="keep it beside the shipped table, in others/"
    )
    parser.add_argument("--missing", action="store_true", help="only add what tables lack")
    options = parser.parse_args()
    documents = [
        from_prefix(prefix, abi, options.gdb)
        for prefix in options.prefix
        for abi in options.abi or interpreters(prefix)
    ]
    folder, _colon, abi = (options.private_from or "").rpartition(":")
    private = (Path(folder).expanduser(), abi) if folder else None
    documents += [
        from_headers(include, options.defines, options.gdb, private) for include in options.headers
    ]
    if options.missing:
        for table, document in product(sorted(options.out.glob("**/*.json")), documents):
            add_missing(table, document)
        return 0
    bad = 0
    for document in documents:
        for other in options.also:
            _add_variants(document, json.loads(other.read_text()))
        path = options.out / table_name(document["header"], other=options.other or "")
        path.parent.mkdir(exist_ok=True)
        if options.check:
            compared, texts = differences(json.loads(path.read_text()), document)
            print(f"{path.name}: {compared} members compared, {len(texts)} differ")
            print("".join(f"  {text}\n" for text in texts), end="")
            bad += bool(texts)
        else:
            path.write_text(dump_layout(document))
            print(f"{path.name}: {len(document['structs'])} structs, {path.stat().st_size} bytes")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
