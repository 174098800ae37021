# SPDX-License-Identifier: Apache-2.0
"""Feed one damaged input to the whole analysis; inputs are numbered and made from a seed.

A run of many inputs is tests/bench/fuzz.py; tests/property/test_fuzz.py runs a few thousand.
"""

from __future__ import annotations

import argparse
import importlib
import json
import lzma
import mmap
import os
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gdb_epi.analysis import analyze
from gdb_epi.errors import EpiError, InputError
from gdb_epi.record.stacks import stacks_json
from gdb_epi.registry import COMMANDS
from gdb_epi.render.triage import render_triage
from gdb_epi.session import Session
from gdb_epi.target.api import Target
from gdb_epi.target.corefile import CoreFileTarget
from support.mutate import Scene, damage_file, damaged
from support.snapshot import SnapshotTarget

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOTS = ROOT / "tests" / "data" / "snapshots"
SAMPLES = ROOT / "sample_cores"
# Commands that read more of a process than a triage does.
COMMAND_LINES = (
    ("interp",),
    ("gc", "--types", "5"),
    ("modules", "--all"),
    ("find", "dict"),
    ("pools", "--all"),
    ("list",),
    ("bt", "--all"),
    ("doctor",),
    ("fork",),
)
# One input in so many is a core file whose headers, notes and pages were changed.
FILE_EVERY = 5
HANG_SECONDS = 1.0


class Outcome(NamedTuple):
    """What one input did."""

    number: int
    source: str
    damage: str
    drive: str
    seconds: float  # CPU time: the load of the machine must not make a hang
    failure: str  # "" when all went well


class Corpus:
    """The recordings and core files that inputs are made of."""

    def __init__(self, snapshots: Sequence[Path], cores: Sequence[Path]) -> None:
        self.scenes = [
            (path.name.split(".json")[0], Scene(SnapshotTarget.load(path))) for path in snapshots
        ]
        self.cores = list(cores)


def unpacked_samples(folder: Path) -> list[Path]:
    """Unpack the sample cores into a folder, unless they are there."""
    cores = []
    for path in sorted(SAMPLES.glob("*/core.xz")):
        target = folder / f"{path.parent.name}.core"
        if not target.is_file():
            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as part:
                part.write(lzma.decompress(path.read_bytes()))
            os.replace(part.name, target)
        cores.append(target)
    return cores


def run_input(corpus: Corpus, seed: int, number: int) -> Outcome:
    """Make input `number` of a seed and analyse it; nothing but EpiError may leave a command."""
    chance = random.Random(f"{seed}:{number}")
    started = time.process_time()
    source = damage = drive = "?"
    failure = ""
    try:
        if corpus.cores and number % FILE_EVERY == 0:
            path = chance.choice(corpus.cores)
            source = path.name
            damage, drive = _file_input(path, chance)
        else:
            source, scene = chance.choice(corpus.scenes)
            target = damaged(scene, chance)
            damage = " + ".join(target.damage)
            started = time.process_time()
            drive = chance.choice(tuple(DRIVES))
            DRIVES[drive](target, chance)
    except Exception as error:  # the point of the exercise
        failure = _describe(error)
    spent = time.process_time() - started
    return Outcome(number, source, damage, drive, spent, failure)


def _describe(error: BaseException) -> str:
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-3:]
    places = " < ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(last))
    return f"{type(error).__name__}: {str(error)[:200]} at {places}"


def _file_input(path: Path, chance: random.Random) -> tuple[str, str]:
    """Change a private mapping of a core file, perhaps cut it, and analyse it."""
    size = path.stat().st_size
    cut = chance.randrange(3) == 0
    length = size
    if cut:
        length = int(size ** chance.random()) if chance.randrange(2) else chance.randrange(1, size)
        length = max(length, 1)
    with path.open("rb") as stream:
        # Not closed by hand: the target shows pages of it in place for as long as it lives.
        mapped = mmap.mmap(stream.fileno(), size, access=mmap.ACCESS_COPY)
    done = damage_file(mapped, chance) if not cut or chance.randrange(2) else ""
    buffer = mapped if not cut else mapped[:length]
    done += f" cut at {length}" if cut else ""
    try:
        target = CoreFileTarget.from_buffer(path.name, buffer, sysroot="/nonexistent")
    except InputError:
        return done, "refused"
    _drive_record(target, chance)
    return done, "record"


def _drive_record(target: Target, chance: random.Random) -> None:
    record = analyze(Session(target))
    json.dumps(record)
    render_triage(record)


def _drive_stacks(target: Target, chance: random.Random) -> None:
    json.dumps(stacks_json(Session(target).state, locals=True, messages=True))


def _drive_command(target: Target, chance: random.Random) -> None:
    words = chance.choice(COMMAND_LINES)
    try:
        report = run_command(Session(target), *words)
        json.dumps(report)
    except EpiError:
        return


def run_command(session: Session, name: str, *words: str) -> object:
    """Run an `epi` command as the hosts do; return its data."""
    importlib.import_module(f"commands.{name}")
    command = COMMANDS[name]
    parser = argparse.ArgumentParser()
    for argument in command.arguments:
        options = {k: v for k, v in argument.options.items() if (k, v) != ("type", "literal")}
        parser.add_argument(*argument.flags, **options)
    return command.run(session, parser.parse_args(words)).data


DRIVES = {"record": _drive_record, "stacks": _drive_stacks, "command": _drive_command}
