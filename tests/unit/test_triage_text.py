# SPDX-License-Identifier: Apache-2.0
"""What the one-screen answer says of what is missing, and what it tells to do next."""

from __future__ import annotations

from typing import Any

import pytest

from gdb_epi.render.triage import WIDTH, render_triage
from gdb_epi.signature.types import LACKS_FILES

NATIVE = {"language": "native", "pc": "0x1000", "function": "g", "module": "/bin/prog"}
PYTHON = {"language": "python", "name": "f", "filename": "/srv/f.py", "lineno": 3}


def shown(label: str = "software", *frames: dict[str, Any], **groups: Any) -> list[str]:
    record = {
        "schema": "gdb-epi/record/1",
        "verdict": {"label": label, "confidence": 0.9, "word": "high", "reasons": []},
        "threads": {"count": 1, "crashed": {"tid": 7, "frames": list(frames)}},
        **groups,
    }
    return render_triage(record)


@pytest.mark.parametrize("python", [False, True])
def test_source_is_offered_where_there_are_python_frames(python: bool) -> None:
    lines = shown("software", NATIVE, *[PYTHON] * python)
    listed = " and epi list the source" if python else ""
    assert f"Next: in GDB, epi bt --all shows every thread{listed}" in lines


def test_a_suspect_host_is_looked_at_where_hosts_are_told() -> None:
    (line,) = (one for one in shown("hardware-suspect", NATIVE) if one.startswith("Next:"))
    assert "gdb-epi fleet suspects" in line and "fleet top" not in line


def test_of_a_cut_core_a_whole_one_is_asked_for() -> None:
    cut = {"flag": True, "missing_bytes": 10, "reason": "the file ends early"}
    assert "ulimit -c" in shown("cannot-tell", NATIVE, truncated=cut)[-1]
    nothing = shown("cannot-tell", truncated=cut, threads={"count": 0})
    assert [line for line in nothing if line.startswith("Next")] == [nothing[-1]]
    whole = {"flag": False, "missing_bytes": 0, "reason": ""}
    assert not any("ulimit" in line for line in shown("cannot-tell", NATIVE, truncated=whole))


def test_a_reason_stands_once() -> None:
    why = "GDB has loaded neither the executable nor libraries"
    absent = {
        "native": why,
        "exact": f"no native stack ({why})",
        "stable": f"no native stack ({why})",
        "python": "this thread has no such frame",
    }
    lines = shown(signature={"keys": {}, "text": {}, "absent": absent})
    text = " ".join(" ".join(lines).split())
    assert text.count(why) == 1 and "this thread has no such frame" in text


@pytest.mark.parametrize("why", LACKS_FILES)
def test_where_files_were_lacking_they_are_asked_for(why: str) -> None:
    lines = shown(signature={"keys": {}, "text": {}, "absent": {"native": why}})
    assert "--exe FILE, --sysroot DIR" in lines[-1]


def test_the_files_that_lacked_are_named_with_their_builds() -> None:
    nameless = {"language": "native", "module": "libx.so", "build_id": "bb3b" * 10}
    absent = {"keys": {}, "text": {}, "absent": {"native": LACKS_FILES[0]}}
    text = " ".join(shown("software", nameless, NATIVE, signature=absent))
    assert f"name the files of libx.so (build-id {'bb3b' * 10}):" in text
    compiled = {"language": "native", "pc": "0x7fda4a49e107"}  # code of no file
    assert not any("--sysroot" in line for line in shown("software", compiled, signature=absent))


def test_of_a_long_path_the_file_and_the_line_are_kept() -> None:
    """The end of the line was cut off, and with it the line number."""
    far = {**PYTHON, "filename": "/srv/" + "deep/" * 30 + "loader.py", "lineno": 1234}
    (line,) = (one for one in shown("software", far) if "#0" in one)
    assert line.startswith("  #0  f  ...") and line.endswith("/loader.py:1234")
    assert len(line) <= WIDTH


def test_what_has_no_place_is_found_where_the_reader_is() -> None:
    errors = [{"stage": "locals", "subject": str(n), "message": "why"} for n in range(40)]
    lines = shown("software", NATIVE, soft_errors=errors)
    (more,) = (one for one in lines if " more (" in one)
    assert more.endswith("(gdb-epi triage --format json shows all)")
    record = {"schema": "gdb-epi/record/1", "soft_errors": errors}
    assert more.split("(")[0] + "(it is below)" in render_triage(record, "it is below")
