# SPDX-License-Identifier: Apache-2.0
"""A core answers alike with and without GDB; GDB is believed only where it can be trusted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from driver import ROOT, Gdb, read_json, run_gdb, with_epi
from support.cores import Made, find_core, make_core, truncate
from support.interpreters import oldest_and_newest
from support.opening import NO_OWN, core_of, made_or_skip, need_core_dumps

from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.process_state import ProcessState
from gdb_epi.record.stacks import stacks_json
from gdb_epi.target.api import DUMPED, FILE
from gdb_epi.target.corefile import CoreFileTarget

# Runs inside GDB: what GDB itself says, what GdbTarget says, and what is left without the file.
INSIDE = """
import hashlib, json, os
import gdb
from gdb_epi.errors import Absent
from gdb_epi.gdbhost.process_target import GdbProcessTarget
from gdb_epi.gdbhost.sessions import shared_sessions

target = shared_sessions().current_session().target
first = target.threads()[0]
alone = GdbProcessTarget(gdb.selected_inferior(), kind="core", proc=None, lwp=first.tid)
names = ("_PyRuntime", "malloc", "no_such_symbol")
def asked(address, size):
    try:
        return hashlib.sha256(gdb.selected_inferior().read_memory(address, size)).hexdigest()
    except gdb.error as error:
        return str(error)
def sample(region):
    size = min(region.dumped, 4096)
    ends = {region.start, region.start + region.dumped - size}
    return [[at, size, asked(at, size)] for at in sorted(ends)]
def crash(of):
    found = of.crash()
    return found.reason if isinstance(found, Absent) else found
document = {
    "class": type(target).__name__,
    "threads": [[t.tid, dict(t.registers)] for t in target.threads()],
    "threads_gdb": {t.tid: dict(t.registers) for t in alone.threads()},
    "crash": crash(target),
    "crash_gdb": crash(alone),
    "regions": [list(region) for region in target.regions()],
    "modules": [[m.path, m.base, m.build_id, isinstance(m.file, str)] for m in target.modules()],
    "memory": [row for region in target.regions() if region.dumped for row in sample(region)],
    "provenance": [target.provenance(r.start, r.size) for r in target.regions()],
    "provenance_gdb": alone.provenance(first.registers["rsp"]),
    "symbols": {name: target.symbol(name) for name in names},
    "symbols_gdb": {name: alone.symbol(name) for name in names},
    "key": target.core_key(),
}
with open(OUT, "w") as stream:
    json.dump(document, stream)
"""


@pytest.fixture(scope="module", params=oldest_and_newest(), ids=lambda interpreter: interpreter.id)
def made(request: pytest.FixtureRequest) -> Made:
    """A core of several threads on each chosen interpreter."""
    return made_or_skip(request.param, "threads")


def inside(gdb: Gdb, made: Made, folder: Path) -> tuple[dict[str, Any], Path]:
    """Run INSIDE on a core; return its document and the folder of the commands' outputs."""
    script = folder / "inside.py"
    script.write_text(f"OUT = {str(folder / 'inside.json')!r}\n{INSIDE}")
    commands = [f"epi {name} --json --output {folder}/{name}" for name in ("native", "threads")]
    commands += [f"epi bt --all --json --output {folder}/bt", f"source {script}"]
    done = run_gdb(gdb, *with_epi(*commands), exe=made.executable, core=made.core)
    assert (folder / "inside.json").exists(), done.text
    return read_json(folder / "inside.json"), folder


def as_json(value: Any) -> Any:
    """Return what JSON makes of a value."""
    return json.loads(json.dumps(value))


def test_with_and_without_gdb(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    answer, out = inside(gdb, made, tmp_path)
    core = CoreFileTarget.open(made.core, exe=str(made.executable))
    assert answer["class"] == "GdbTarget"
    assert answer["regions"] == as_json(core.regions())
    assert answer["threads"] == [[t.tid, dict(t.registers)] for t in core.threads()]
    assert answer["crash"] == as_json(core.crash())
    assert answer["key"] == core.core_key()
    assert answer["modules"] == [
        [m.path, m.base, m.build_id, isinstance(m.file, str)] for m in core.modules()
    ]
    assert answer["symbols"]["_PyRuntime"] == core.symbol("_PyRuntime") is not None
    state = ProcessState(core)
    with_gdb, without = read_json(out / "bt"), as_json(stacks_json(state))
    for document in (with_gdb, without):
        for thread in document["threads"]:
            thread.pop("merged", None)
            for frame in thread["frames"]:
                frame.pop("calls", None)  # the C function called: native frames tell it
    assert with_gdb["threads"] == without["threads"]
    assert with_gdb["gil_holder"] == without["gil_holder"]
    assert len(without["threads"]) > 2


def test_gdb_agrees_on_what_it_can_know(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    answer, _ = inside(gdb, made, tmp_path)
    core = CoreFileTarget.open(made.core, exe=str(made.executable))
    assert answer["crash_gdb"] == answer["crash"]
    assert set(answer["threads_gdb"]) == {str(tid) for tid, _ in answer["threads"]}
    for tid, registers in answer["threads"]:
        seen = answer["threads_gdb"][str(tid)]
        assert seen, "GDB told no registers"
        assert {name: registers[name] for name in seen} == seen
    assert {"rip", "rsp", "rax", "fs_base"} <= set(next(iter(answer["threads_gdb"].values())))
    import hashlib

    assert len(answer["memory"]) > 20
    for address, size, digest in answer["memory"]:
        assert hashlib.sha256(core.read(address, size)).hexdigest() == digest, hex(address)
    assert answer["provenance_gdb"] == FILE  # GDB alone cannot prove that bytes were dumped
    assert answer["symbols_gdb"] == answer["symbols"]


def test_provenance_of_pages_that_were_left_out(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    answer, _ = inside(gdb, made, tmp_path)
    core = CoreFileTarget.open(made.core, exe=str(made.executable))
    kinds = dict(zip((r[0] for r in answer["regions"]), answer["provenance"], strict=True))
    assert [core.provenance(r.start, r.size) for r in core.regions()] == list(kinds.values())
    text = [r for r in core.regions() if r.path and "x" in r.perms and not r.dumped]
    assert text, "this machine dumps file-backed text; nothing was left out"
    for region in text:
        assert kinds[region.start] == FILE
    assert DUMPED in kinds.values()


def test_native_frames(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    answer, out = inside(gdb, made, tmp_path)
    native = read_json(out / "native")
    core = CoreFileTarget.open(made.core, exe=str(made.executable))
    modules = {m["path"]: m for m in native["modules"]}
    registers = dict(map(tuple, answer["threads"]))
    assert [t["tid"] for t in native["threads"]] == list(registers)
    for thread in native["threads"]:
        frames = thread["frames"]
        assert frames[0]["pc"] == registers[thread["tid"]]["rip"]
        outer = [f["sp"] for f in frames if not f["inlined"]]
        assert outer == sorted(outer)
        for frame in frames:
            region = core.region_at(frame["pc"])
            assert region is not None and "x" in region.perms
        for frame in frames:
            if frame["module"]:
                module = modules[frame["module"]]
                assert module["start"] <= frame["pc"] <= module["end"]
                assert frame["offset"] == frame["pc"] - module["base"]
                assert frame["build_id"] == module["build_id"]
    names = {f["function"] for t in native["threads"] for f in t["frames"]}
    assert "_PyEval_EvalFrameDefault" in names


@pytest.mark.heavy
def test_both_gdbs_tell_the_same(made: Made, tmp_path: Path) -> None:
    from driver import available_gdbs

    if len(available_gdbs()) < 2:
        pytest.skip("only one GDB here: pip install gdb-for-pwndbg, or GDB_EPI_GDBS")
    texts = []
    for number, gdb in enumerate(available_gdbs()):
        folder = tmp_path / str(number)
        folder.mkdir()
        inside(gdb, made, folder)
        texts.append([(folder / name).read_text() for name in ("native", "bt", "threads")])
    assert all(other == texts[0] for other in texts[1:])


def test_core_whose_file_is_gone(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    core = tmp_path / "core"
    shutil.copy(made.core, core)
    done = run_gdb(
        gdb,
        *with_epi(
            f"python import os; os.unlink({str(core)!r})",
            f"epi native --json --output {tmp_path}/native",
            f"epi doctor --json --output {tmp_path}/doctor",
            "epi threads",
        ),
        exe=made.executable,
        core=core,
    )
    assert "internal error" not in done.stderr, done.text
    native = read_json(tmp_path / "native")
    assert native["threads"][0]["frames"]
    messages = [e["message"] for e in read_json(tmp_path / "doctor")["soft_errors"]]
    assert any("memory comes from GDB and proves nothing" in m for m in messages), messages


def test_truncated_core(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    cut = truncate(made.core, 0.5, tmp_path / "cut.core")
    core = CoreFileTarget.open(cut)
    lost = next(r for r in core.regions() if not r.dumped and "w" in r.perms)
    with pytest.raises(UnreadableMemory):
        core.read(lost.start, 16)
    script = tmp_path / "ask.py"
    script.write_text(
        "from gdb_epi.gdbhost.sessions import shared_sessions\n"
        f"t = shared_sessions().current_session().target\n"
        f"print('KIND', t.provenance({lost.start}, 16))\n"
        "print('CUT', t.truncation().truncated)\n"
    )
    done = run_gdb(
        gdb, *with_epi(f"source {script}", "epi bt", "epi doctor"), exe=made.executable, core=cut
    )
    assert "KIND absent" in done.stdout and "CUT True" in done.stdout, done.text
    assert "truncated: " in done.stdout
    assert "internal error" not in done.stderr, done.text


def test_names_of_another_build_are_withheld(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    """GDB takes a library of another build from the sysroot, and at most warns."""
    root = tmp_path / "root"
    for name in ("lib", "lib64"):  # as on this machine: the link map says /lib, the kernel /usr/lib
        if Path("/", name).is_symlink():
            root.mkdir(exist_ok=True)
            (root / name).symlink_to(Path("/", name).readlink())
    core = CoreFileTarget.open(made.core)
    changed = ""
    for module in core.modules():
        if isinstance(module.file, Absent):
            continue
        copy = root / module.path[1:]
        copy.parent.mkdir(parents=True, exist_ok=True)
        data = Path(module.file).read_bytes()
        if "libc.so" in module.path and module.build_id:
            changed = module.path
            at = data.index(bytes.fromhex(module.build_id))
            data = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        copy.write_bytes(data)
    if not changed:
        pytest.skip("no libc with a build-id in this core")
    done = run_gdb(
        gdb,
        *with_epi(
            f"epi native --json --output {tmp_path}/native",
            f"epi doctor --json --output {tmp_path}/doctor",
        ),
        words=("-iex", f"set sysroot {root}"),
        exe=made.executable,
        core=made.core,
    )
    assert (tmp_path / "native").exists(), done.text
    native = read_json(tmp_path / "native")
    frames = [f for t in native["threads"] for f in t["frames"]]
    of_libc = [f for f in frames if f["module"] == changed]
    assert of_libc and all(f["function"] is None for f in of_libc), done.text
    assert all(f["lineno"] is None for f in of_libc)
    assert any(f["function"] for f in frames if f["module"] != changed)
    verdicts = {m["path"]: m["gdb"] for m in read_json(tmp_path / "doctor")["modules"]}
    if verdicts[changed] == "another build":
        assert any("are withheld" in e["message"] for e in native["soft_errors"])
    else:  # this GDB refused the file by itself
        assert verdicts[changed] == "not loaded"
    assert "another build" not in {v for path, v in verdicts.items() if path != changed}


RAW_FORK = """
import ctypes, os, threading
from support.waiting import until_asleep
lock = threading.Lock()
lock.acquire()
for _ in range(3):
    threading.Thread(target=lock.acquire, daemon=True).start()
until_asleep(os.getpid(), but=threading.get_native_id())
child = ctypes.PyDLL(None).syscall(57)  # fork behind the back of the C library
if child == 0:
    os.kill(os.getpid(), 11)
os.waitpid(child, 0)
os._exit(0)
"""


def test_threads_that_only_gdb_believes_in(gdb: Gdb, tmp_path: Path) -> None:
    """libthread_db finds the parent's threads in the child's memory; they have no registers."""
    need_core_dumps()
    interpreters = [i for i in oldest_and_newest() if i.minor < (3, 15)]
    if not interpreters:
        pytest.skip(NO_OWN)
    script = tmp_path / "raw_fork.py"
    script.write_text(RAW_FORK)
    shell = ["/bin/sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    subprocess.run(
        [*shell, interpreters[-1].host_executable, script],
        cwd=tmp_path,
        timeout=120,
        env=environment,
    )
    cores = find_core(tmp_path)
    if len(cores) != 1:
        pytest.skip(f"the raw fork left {len(cores)} cores")
    done = run_gdb(
        gdb,
        *with_epi(
            "python print('GDB', len(gdb.selected_inferior().threads()))",
            "thread 2",
            "python print('LWP', gdb.selected_thread().ptid[1])",
            "epi bt",
            f"epi native --json --output {tmp_path}/native",
            "python print('SELECTED', gdb.selected_thread().num)",
        ),
        exe=interpreters[-1].host_executable,
        core=cores[0],
    )
    if "GDB 1\n" in done.stdout:
        pytest.skip("this libthread_db tells GDB of no other threads")
    assert "SELECTED 2" in done.stdout, done.text
    assert "GDB says" not in done.stderr and "internal error" not in done.stderr, done.text
    native = read_json(tmp_path / "native")
    assert len(native["threads"]) == 1 and native["threads"][0]["frames"]
    assert "cannot unwind" in done.stdout, done.text


CPP = """
#include <string>
namespace deep { template <class T> struct Box {
  __attribute__((noinline)) static int crash(T *p, std::string const &) { return *(volatile T *)p; }
}; }
extern "C" int enter(void) { return deep::Box<int>::crash((int *)16, "x") + 1; }
"""


@pytest.mark.parametrize("debug", ["-g", "-g0"])
def test_linkage_names_are_never_demangled(gdb: Gdb, tmp_path: Path, debug: str) -> None:
    if shutil.which("g++") is None:
        pytest.skip("g++ is missing")
    interpreters = oldest_and_newest()
    if not interpreters:
        pytest.skip(NO_OWN)
    (tmp_path / "lib.cc").write_text(CPP)
    library = tmp_path / "lib.so"
    build = ["g++", debug, "-O1", "-shared", "-fPIC", "-o", library, tmp_path / "lib.cc"]
    subprocess.run(build, check=True)
    script = tmp_path / "crash.py"
    script.write_text(f"import ctypes; ctypes.CDLL({str(library)!r}).enter()")
    done = run_gdb(
        gdb,
        "unset environment PYTHONHOME",
        f"run {script}",
        *with_epi(f"epi native --json --output {tmp_path}/native", "frame function enter"),
        "python print('SHOWN', gdb.newest_frame().name())",
        "kill",
        exe=interpreters[-1].host_executable,
    )
    if "Operation not permitted" in done.stderr:
        pytest.skip("ptrace is not permitted here")
    frames = read_json(tmp_path / "native")["threads"][0]["frames"]
    assert frames[0]["function"].startswith("_ZN4deep3BoxIiE5crashEPiRK"), done.text
    assert frames[1]["function"] == "enter"
    assert "SHOWN deep::Box<int>::crash" in done.stdout  # the user's setting is as before


def test_deep_recursion_is_cut_in_the_middle(gdb: Gdb, tmp_path: Path) -> None:
    made = core_of("deep_recursion", oldest=(3, 8))
    old = [i for i in oldest_and_newest() if i.minor < (3, 11)]
    if old:  # before 3.11 every Python call is several native frames
        made = make_core(old[0], "deep_recursion")
    file = tmp_path / "native"
    tid = made.truth["threads"][0]["native_id"]
    done = run_gdb(
        gdb,
        *with_epi(f"epi native --json --output {file}"),
        exe=made.executable,
        core=made.core,
    )
    native = read_json(file)
    frames = next(t for t in native["threads"] if t["tid"] == tid)["frames"]
    if not old:
        pytest.skip("needs an interpreter before 3.11: newer ones do not recurse in C")
    assert [f["kind"] for f in frames].index("sentinel") == 200, done.text
    assert len(frames) >= 251
    assert frames[200]["left_out"] > 1000
    assert frames[200]["function"] or any(
        "are left out" in error["message"] for error in native["soft_errors"]
    )
