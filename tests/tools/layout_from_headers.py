# SPDX-License-Identifier: Apache-2.0
"""Compile a stub that includes CPython's internal headers, so that its DWARF holds the structs.

This gives layout tables of builds that nobody here has with debug information, free-threaded and
Py_DEBUG ones included. Structs private to .c files (the lock objects up to 3.13) are missing then.

    python tests/tools/layout_from_headers.py --include /usr/include/python3.14 -o stub.o [-D...]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.layout_tables import canonical_path, struct_key

from gdb_epi.cpython.layout.struct_specs import CONSTANTS

PUBLIC = ("frameobject.h", "structmember.h", "datetime.h", "opcode.h", "pythread.h")
# Headers that exist for one platform only, or that define data instead of types.
UNWANTED = re.compile(
    r"emscripten|windows|_wasm|mimalloc|blocks_output|_init_generated|_fini_generated|uop_|"
    r"opcode_metadata|magic_number|unicodeobject_generated|debugger_utils|_jit|ast\.h|asdl"
)
_OFFSETOF = re.compile(r"(offsetof|sizeof)\(\s*(?:struct\s+)?(\w+)\s*(?:,\s*([\w.]+)\s*)?\)")
_ALIAS = re.compile(r"define\s+(_Py_Debug_\w+)\s+(offsetof\(.*?\))\s*$", re.M)
_ASSIGN = re.compile(r"\.(\w+)\s*=\s*(.*?),?\s*\\?$")


def internal_headers(include: Path) -> list[str]:
    """Return the internal headers to include, in an order that compiles (runtime first)."""
    names = sorted(p.name for p in (include / "internal").glob("pycore_*.h"))
    wanted = [n for n in names if not UNWANTED.search(n)]
    return sorted(wanted, key=lambda n: (n not in ("pycore_runtime.h", "pycore_interp.h"), n))


def stub_source(include: Path, left_out: frozenset[str] = frozenset(), extra: str = "") -> str:
    """Return the C source of the stub for one include directory."""
    lines = ["#define PY_SSIZE_T_CLEAN", "#define Py_BUILD_CORE 1", "#include <Python.h>"]
    lines += [f"#include <{name}>" for name in PUBLIC if (include / name).is_file()]
    lines += [
        f'#include "internal/{name}"' for name in internal_headers(include) if name not in left_out
    ]
    lines += [extra, *resume_cache(include)]
    for name in CONSTANTS:
        lines += [f"#ifdef {name}", f"enum {{ EPI_CONST_{name} = ({name}) }};", "#endif"]
    lines.append("int epi_layout_stub;")
    return "\n".join(lines) + "\n"


def resume_cache(include: Path) -> list[str]:
    """Return a macro for the inline cache of RESUME, which has none of its own (3.15)."""
    path = include / "internal" / "pycore_opcode_metadata.h"
    text = path.read_text() if path.is_file() else ""
    matched = re.search(r"_PyOpcode_Caches\[256\] = \{[^}]*\[RESUME\] = (\d+)", text)
    return [f"#define INLINE_CACHE_ENTRIES_RESUME {matched[1]}"] if matched else []


def build_stub(include: Path, out: Path, defines: Sequence[str] = (), extra: str = "") -> Path:
    """Compile the stub to `out`, leaving out headers that do not compile; return `out`.

    `extra` is C that comes after the headers (declarations of private structs). Which headers were
    left out is printed, because structs may be missing for it.
    """
    source = out.with_suffix(".c")
    left_out: set[str] = set()
    command = ["gcc", "-c", "-g", "-O0", "-w", "-fno-eliminate-unused-debug-types", "-std=gnu11"]
    command += ["-DPy_BUILD_CORE=1", *defines, f"-I{include}", f"-I{include / 'internal'}"]
    if (include / "internal" / "mimalloc").is_dir():
        command.append(f"-I{include / 'internal' / 'mimalloc'}")
    # Debian's pyconfig.h includes <x86_64-linux-gnu/python3.X/pyconfig.h>; the rest of that folder
    # may belong to another system, so it is searched last.
    command += ["-idirafter", str(include.parent)]
    for _attempt in range(40):
        source.write_text(stub_source(include, frozenset(left_out), extra))
        run = subprocess.run(
            [*command, str(source), "-o", str(out)], capture_output=True, text=True, check=False
        )
        if run.returncode == 0:
            if left_out:
                print(f"{out.name}: left out {', '.join(sorted(left_out))}", file=sys.stderr)
            return out
        culprit = _culprit(run.stderr, left_out)
        if culprit is None:
            raise RuntimeError(f"the stub does not compile:\n{run.stderr[:3000]}")
        left_out.add(culprit)
    raise RuntimeError(f"too many headers do not compile: {sorted(left_out)}")


def _culprit(errors: str, left_out: set[str]) -> str | None:
    """Return the header that the stub itself included and that the first error came from."""
    first = errors.partition(" error:")[0]
    for name in reversed(re.findall(r"internal/(pycore_\w+\.h)", first)):
        if name not in left_out:
            return str(name)
    return None


def debug_offsets_map(include: Path) -> dict[str, list[str]]:
    """Return what each word of `_Py_DebugOffsets` stands for, read from CPython's initializer.

    "thread_state.prev" gives ["PyThreadState", "prev"]; a size gives an empty member path. Words
    that are neither (flags, the build's own values) are left out. Empty before 3.13.
    """
    for name in ("pycore_debug_offsets.h", "pycore_runtime_init.h"):
        path = include / "internal" / name
        text = path.read_text() if path.is_file() else ""
        start = text.find(".cookie = debug_cookie")
        if start >= 0:
            # Members that only some builds have: the macro gives their offset or "none".
            names = dict(_ALIAS.findall((path.parent / "pycore_runtime.h").read_text() + text))
            return _parse_initializer(text[start:], names)
    return {}


def _parse_initializer(text: str, names: dict[str, str]) -> dict[str, list[str]]:
    members_by_struct: dict[str, list[str]] = {}
    section = ""
    for line in text.splitlines():
        assign = _ASSIGN.search(line.rstrip())
        if assign and assign[2].startswith("{"):
            section = assign[1]
        elif assign and section:
            value = assign[2].strip()
            place = _OFFSETOF.fullmatch(names.get(value, value))
            if place:
                member = canonical_path(place[3] or "")
                members_by_struct[f"{section}.{assign[1]}"] = [struct_key(place[2]), member]
        elif not assign and line.strip().startswith("}"):
            if not section:
                break  # the end of the whole table
            section = ""
    return members_by_struct


def main() -> int:
    """Build one stub."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=Path, required=True, help="folder of Python.h")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("-D", dest="defines", action="append", default=[])
    options = parser.parse_args()
    build_stub(options.include, options.out, [f"-D{d}" for d in options.defines])
    return 0


if __name__ == "__main__":
    sys.exit(main())
