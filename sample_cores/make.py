#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make the sample cores again: build, run, let the kernel dump, compress, note what is true.

    python3 sample_cores/make.py [NAME...] [--python PATH] [--app-dir DIR]

Needs only the standard library, gcc (with the interpreter's headers) for the scenarios that
have an ext.c, and a kernel that writes cores into the working directory
(`sysctl kernel.core_pattern=core`). `--python` stands for the interpreter named in the table
below, which pyenv would have installed.

A rebuild changes addresses and thread numbers; this script writes those into expected.json
itself, from the ELF notes of the new core and from what the scenario's own program and driver
said before the death. Everything else in expected.json was written, and checked, by people.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import corenotes  # noqa: E402 - lies beside this script, which may be run from anywhere

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "1"}
PYTHON_OPTIONS = ["-S", "-E", "-s", "-B"]  # few imports make small cores
TIME_LIMIT = 60  # seconds for one scenario
XZ_PRESET = 9 | lzma.PRESET_EXTREME
FLIPPED_INDEX, FLIPPED_BIT = 233, 41
LIST_ITEMS_OFFSET = 24  # PyListObject.ob_item, 3.8 to 3.13 with a GIL
POINTER = 8


class Scenario(NamedTuple):
    """How one core comes about."""

    version: str
    extension: str = ""
    stack_kib: int = 1024
    program_of: str = ""  # the scenario whose program this one runs too
    drive: Callable[[subprocess.Popen], dict[str, str]] | None = None


def read_facts(process: subprocess.Popen) -> dict[str, str]:
    """Read `fact KEY VALUE` lines up to `ready` or the end."""
    facts = {}
    for line in process.stdout:
        words = line.split()
        if words == ["ready"]:
            break
        if words[:1] == ["fact"]:
            facts[words[1]] = words[2]
    return facts


def flip_list_item(process: subprocess.Popen) -> dict[str, str]:
    """Flip one bit of one list item in the memory of the live process."""
    facts = read_facts(process)
    with open(f"/proc/{process.pid}/mem", "r+b", buffering=0) as memory:
        items = _word(memory, int(facts["list_object"]) + LIST_ITEMS_OFFSET)
        slot = items + FLIPPED_INDEX * POINTER
        right = _word(memory, slot)
        memory.seek(slot)
        memory.write((right ^ 1 << FLIPPED_BIT).to_bytes(POINTER, "little"))
    process.stdin.write("\n")
    process.stdin.flush()
    return {**facts, "slot": str(slot), "right": str(right)}


def _word(memory, address: int) -> int:
    memory.seek(address)
    return int.from_bytes(memory.read(POINTER), "little")


SCENARIOS = {
    "null-deref-ctypes": Scenario("3.13.0"),
    "null-deref-py311": Scenario("3.11.7", program_of="null-deref-ctypes"),
    "null-deref-py39": Scenario("3.9.18", program_of="null-deref-ctypes"),
    "extension-worker-thread": Scenario("3.13.0", extension="_segments"),
    "forked-child-inherited-lock": Scenario("3.13.0"),
    "flipped-pointer-bit": Scenario("3.13.0", drive=flip_list_item),
    "failed-assertion": Scenario("3.13.0", extension="_ring"),
    "use-after-free": Scenario("3.13.0", extension="_sessions"),
    "c-stack-overflow": Scenario("3.13.0", extension="_tree", stack_kib=512),
}


def prepare(name: str, scenario: Scenario, python: Path, app: Path) -> None:
    """Fill an empty application directory with the program and its built extension."""
    app.mkdir(parents=True, exist_ok=True)
    for old in [*app.glob("core*"), *app.glob("*.so"), *app.glob("ext.c"), *app.glob("*.py")]:
        old.unlink()
    source = HERE / (scenario.program_of or name)
    shutil.copy(source / "program.py", app)
    if scenario.extension:
        shutil.copy(source / "ext.c", app)
        build_extension(scenario.extension, python, app)


def build_extension(module: str, python: Path, app: Path) -> None:
    """Compile ext.c from a relative path, so that the same gcc gives the same build-id."""
    code = (
        "import sysconfig as s; print(s.get_path('include')); print(s.get_config_var('EXT_SUFFIX'))"
    )
    asked = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    include, suffix = asked.stdout.split()
    flags = ["-O2", "-g", "-fPIC", "-shared", "-UNDEBUG", "-Wl,--build-id=sha1"]
    target = f"{module}{suffix}"
    subprocess.run(["gcc", *flags, f"-I{include}", "-o", target, "ext.c"], cwd=app, check=True)


def set_limits(stack_kib: int) -> None:
    """Allow a core of any size; make every stack small (in the child, before exec)."""
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_STACK, (stack_kib * 1024, stack_kib * 1024))


def run(scenario: Scenario, python: Path, app: Path) -> dict[str, str]:
    """Run the program until it is dead; return the facts it and its driver told."""
    command = [str(python), *PYTHON_OPTIONS, str(app / "program.py")]
    process = subprocess.Popen(
        command,
        cwd=app,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: set_limits(scenario.stack_kib),
    )
    try:
        facts = (scenario.drive or read_facts)(process)
        process.wait(TIME_LIMIT)
    finally:
        process.kill()
        process.communicate()
    return facts


def note_facts(expected: dict, core: bytes, packed: bytes, facts: dict[str, str]) -> None:
    """Put what changes with every run into the expectations."""
    notes = corenotes.read(core)
    crashed = notes.threads[0]
    expected["core"] = {"bytes": len(core), "xz_bytes": len(packed), "core_key": notes.core_key}
    expected["signal"] = {"signo": notes.signo, "si_code": notes.si_code}
    if notes.si_code > 0:
        expected["signal"]["fault_address"] = corenotes.hexa(notes.fault_address)
    else:
        expected["signal"]["sender_pid"] = notes.sender_pid
    expected["process"] = {"pid": notes.pid, "ppid": notes.ppid}
    expected["crashed_thread"]["tid"] = crashed.tid
    expected["threads"]["tids"] = [thread.tid for thread in notes.threads]
    expected["modules"] = build_ids(notes.files)
    if "frame_count" in expected:
        expected["frame_count"] = None  # depends on the stack's start: count, then fill in
    if "slot" in facts:
        note_flip(expected["must_find"]["possible_bit_flip"], facts)
    if "lock_object" in facts:
        note_fork(expected["must_find"], facts, crashed)


def build_ids(paths: list[str]) -> dict[str, str]:
    """Return the build-id of every mapped ELF file that has one."""
    found = {}
    for path in paths:
        command = ["readelf", "-n", path]
        listing = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT).stdout
        for line in listing.splitlines():
            if line.strip().startswith("Build ID:"):
                found[path] = line.split()[-1]
    return found


def note_flip(flip: dict, facts: dict[str, str]) -> None:
    """Say which word was changed, and how."""
    right = int(facts["right"])
    flip["where"] = corenotes.hexa(int(facts["slot"]))
    flip["found"] = corenotes.hexa(right ^ 1 << FLIPPED_BIT)
    flip["corrected"] = corenotes.hexa(right)
    flip["bits"] = [FLIPPED_BIT]
    flip["list_object"] = corenotes.hexa(int(facts["list_object"]))
    flip["list_index"] = FLIPPED_INDEX


def note_fork(must_find: dict, facts: dict[str, str], blocked: corenotes.ThreadNote) -> None:
    """Say which lock blocks, who held it, and how the system call looks."""
    if facts["lock_held_at_fork"] != "1":
        raise SystemExit("the fork happened without the lock being held; run again")
    wait = must_find["waits"]
    wait["tid"] = blocked.tid
    wait["object"] = corenotes.hexa(int(facts["lock_object"]))
    wait["address"] = corenotes.hexa(blocked.registers["rdi"])
    wait["futex_op"] = blocked.registers["rsi"] & 0xFFFFFFFF
    wait["syscall"] = blocked.registers["orig_rax"]
    holder = must_find["vanished"]["holder"]
    holder["ident"] = corenotes.hexa(int(facts["vanished_ident"]))
    holder["old_tid"] = int(facts["vanished_old_tid"])


def make(name: str, python: Path, app: Path) -> None:
    """Make one sample and write its core.xz and expected.json."""
    scenario = SCENARIOS[name]
    folder = HERE / name
    prepare(name, scenario, python, app)
    facts = run(scenario, python, app)
    cores = list(app.glob("core*"))
    if len(cores) != 1:
        raise SystemExit(f"{name}: {len(cores)} cores in {app}; see kernel.core_pattern")
    core = cores[0].read_bytes()
    packed = lzma.compress(core, preset=XZ_PRESET)
    expected = json.loads((folder / "expected.json").read_text())
    note_facts(expected, core, packed, facts)
    (folder / "core.xz").write_bytes(packed)
    (folder / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")
    print(f"{name}: {len(core)} bytes, {len(packed)} compressed")


def main() -> None:
    """Make the named samples, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="*", choices=[[], *SCENARIOS], help="default: all")
    parser.add_argument("--python", type=Path, help="interpreter to use instead of pyenv's")
    parser.add_argument(
        "--app-dir", type=Path, default=Path("/srv/app"), help="where to run, one folder each"
    )
    options = parser.parse_args()
    pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if pattern[0] in "|/":
        raise SystemExit(f"kernel.core_pattern is {pattern!r}; set it to 'core' first")
    for name in options.name or SCENARIOS:
        version = SCENARIOS[name].version
        pyenv = Path(os.path.expanduser(f"~/.pyenv/versions/{version}/bin/python3"))
        make(name, (options.python or pyenv).resolve(), options.app_dir / name)


main()
