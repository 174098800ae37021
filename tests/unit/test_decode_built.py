# SPDX-License-Identifier: Apache-2.0
"""decode(build(x)) == x, for every layout that is shipped."""

from __future__ import annotations

import pytest
from support.build import Builder, Frame

from gdb_epi.cpython.layout.layout import available_tables, load_layout
from gdb_epi.cpython.runtime.python_state import decode_python
from gdb_epi.cpython.types import PythonState

STACKS = [
    [
        Frame("leaf", "/srv/app/leaf.py", 12),
        Frame("wörld", "/srv/wörld.py", 30),
        Frame("привет", "/srv/日本.py", 300),
        Frame("𝔞𝔟", "/srv/😀.py", 7),
        Frame("<module>", "evil\n\x1b[31m\u202e.py", 5),
    ],
    [Frame("wait", "/usr/lib/threading.py", 99)],
    [],
]
LAYOUTS = [
    pytest.param(version, flavour, id=f"{version[0]}.{version[1]}{flavour}")
    for version, flavour in available_tables()
]


@pytest.mark.parametrize(("version", "flavour"), LAYOUTS)
def test_what_is_built_is_decoded(version: tuple[int, int], flavour: str) -> None:
    layout = load_layout(version, "t" in flavour, "d" in flavour)
    assert layout is not None
    builder = Builder(layout)
    runtime, threads, idents = builder.runtime(STACKS, holder=1)
    python = decode_python(builder.target(runtime, idents))
    assert isinstance(python, PythonState), python
    assert python.runtime == runtime
    assert [t.address for t in python.threads()] == threads
    assert [t.tid for t in python.threads()] == [100, 101, 102]
    for thread, frames in zip(python.threads(), STACKS, strict=True):
        assert [(f.name, f.filename, f.lineno) for f in thread.frames] == frames
        assert all(f.module == "pkg.module" and f.hole is None for f in thread.frames)
        assert not thread.soft_errors
    if layout.offset("PyCodeObject", "co_qualname") is not None:
        assert python.threads()[0].frames[0].qualname == "outer.leaf"
    holders = [t.tid for t in python.threads() if t.holds_gil]
    # A free-threaded build with its GIL off (enabled == 0) has no holder.
    assert holders == ([] if "t" in flavour else [101])
    assert [t.tid for t in python.threads() if t.crashed] == [100]


def test_every_minor_version_is_there() -> None:
    minors = {version[1] for version, flavour in available_tables() if not flavour}
    assert minors >= set(range(8, 16))
    assert {v[1] for v, flavour in available_tables() if flavour == "t"} >= {13, 14, 15}
