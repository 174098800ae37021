# SPDX-License-Identifier: Apache-2.0
"""Whole records of the sample cores, compared with golden files, and with what must be found.

The golden records are made without any file of this machine (an empty sysroot) and without GDB, so
they are the same everywhere. `--update-golden` writes them anew; review the diff like code.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from gdb_epi.analysis import analyze
from gdb_epi.render.triage import Audience, render_triage
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
SAMPLES = sorted(path.parent for path in (ROOT / "sample_cores").glob("*/core.xz"))
IDS = [path.name for path in SAMPLES]


@pytest.fixture(scope="module", params=SAMPLES, ids=IDS)
def sample(request: pytest.FixtureRequest) -> Path:
    return request.param


@pytest.fixture(scope="module")
def core(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp(sample.name) / "core"
    path.write_bytes(lzma.decompress((sample / "core.xz").read_bytes()))
    return path


def record(core: Path, *, sysroot: Path | None) -> dict[str, Any]:
    target = CoreFileTarget.open(str(core), sysroot=str(sysroot) if sysroot else None)
    analysis = analyze(Session(target))
    # Local paths are no part of the record; the core's own temporary name must not be either.
    assert str(core.parent) not in json.dumps(analysis)
    return analysis


def missing_files(core: Path) -> list[str]:
    modules = CoreFileTarget.open(str(core)).modules()
    return [m.path for m in modules if not isinstance(m.file, str) and "vdso" not in m.path]


def test_golden(sample: Path, core: Path, tmp_path: Path, update_golden: bool) -> None:
    version = json.loads((sample / "expected.json").read_text())["python"]["version"]
    if not version.startswith("3.13"):
        pytest.skip(f"CPython {version} before 3.13 is not found without its binaries")
    fresh = record(core, sysroot=tmp_path)
    golden = GOLDEN / f"{sample.name}.json"
    if update_golden:
        golden.write_text(json.dumps(fresh, indent=1) + "\n")
    assert golden.is_file(), "run pytest --update-golden and review the new file"
    assert fresh == json.loads(golden.read_text())


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_the_screen_is_the_golden_one(path: Path, update_golden: bool) -> None:
    """Read each change aloud: it is what somebody sees at 3 am."""
    lines = render_triage(json.loads(path.read_text()), Audience(core="core"))
    assert len(lines) <= 40
    screen = GOLDEN / "screens" / f"{path.stem}.txt"
    if update_golden:
        screen.write_text("\n".join(lines) + "\n")
    assert screen.is_file(), "run pytest --update-golden and review the new file"
    assert lines == screen.read_text().splitlines()


def test_what_must_be_found(sample: Path, core: Path) -> None:
    """Each sample says what it is; its maker knew before the core was written."""
    lacking = missing_files(core)
    if lacking:
        pytest.skip(f"the binaries of this core are not on this machine: {', '.join(lacking)}")
    fresh = record(core, sysroot=None)
    expected = json.loads((sample / "expected.json").read_text())
    assert fresh["core_key"] == expected["core"]["core_key"]
    for key, value in expected["signal"].items():
        assert fresh["signal"][key] == value, key
    assert fresh["process"]["pid"] == expected["process"]["pid"]
    assert fresh["threads"]["crashed"]["tid"] == expected["crashed_thread"]["tid"]
    must = expected["must_find"]
    _flip(fresh, must.get("possible_bit_flip") or {})
    _waits(fresh, must.get("waits") or {})


def _flip(fresh: dict[str, Any], flip: dict[str, Any]) -> None:
    assert fresh["flags"]["bitflip"] is bool(flip)
    if flip:
        places = {c["where"]: c for c in fresh["corruption"]["candidates"]}
        assert flip["where"] in places
        place = places[flip["where"]]
        assert (place["found"], place["corrected"], place["bits"]) == (
            flip["found"], flip["corrected"], flip["bits"],
        )  # fmt: skip
        assert fresh["verdict"]["label"] == "damaged-memory"
        assert fresh["corruption"]["path"] == "memory"


def _waits(fresh: dict[str, Any], wait: dict[str, Any]) -> None:
    assert fresh["flags"]["lock_inherited"] is bool(wait)
    if wait:
        entry = next(w for w in fresh["waits"] if w["tid"] == wait["tid"])
        assert (entry["address"], entry["object"]) == (wait["address"], wait["object"])
        assert entry["verdict"] == "inherited-holder-frame-vanished"
        assert entry["name"] == "__main__.REGISTRY.lock"
        assert {"F1", "F2", "F7"} <= set(fresh["fork"]["signals"])
        assert fresh["fork"]["parent_multithreaded"] is True
        assert fresh["verdict"]["label"] == "fork-inherited-lock"
