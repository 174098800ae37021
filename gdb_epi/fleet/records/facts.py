# SPDX-License-Identifier: Apache-2.0
"""Facts of one core that may tell two populations of a signature apart.

What separated the two causes of an "impossible" crash in the published case was such a fact (is the
stack pointer aligned), not a stack. A collector may add its own under `facts`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import inf
from typing import Any

from gdb_epi.fleet.records.values import (
    MAX_ATTRIBUTES,
    int32_or_none,
    number_or_none,
    scalar_texts,
    text_or_none,
)
from gdb_epi.record.groups.host_container_job import JOB_NUMBERS, JOB_TEXTS
from gdb_epi.record.record_parts import get_group

YES = "true"
PROGRAM = "program"  # what a process is known by
SEVERAL = "several"  # programs
EXECUTABLE = "exe"
CPU_TIME, CORE_SIZE = "cpu_time", "core_size"  # facts in few classes, so that sets stay few
CPU_TIMES = (("under 5 min", 300.0), ("5 min to 10 h", 36_000.0), ("over 10 h", inf))
MAX_GIB = 1 << 20
# Services whose processes are programs of others.
STARTERS = frozenset((
    "containerd", "docker", "crio", "podman", "kubelet", "slurmd", "pbs", "sge_execd", "condor",
    "cron", "crond", "atd", "supervisor", "supervisord", "nomad", "sshd", "ssh", "user",
))  # fmt: skip
ENV = "env "  # before the name of an environment variable
OF_PROCESS = ("image", "python", "namespace")
# Variables that name one job or one process of it, and set nothing that others have too.
_OF_ONE_JOB = frozenset(sum((*JOB_TEXTS.values(), *JOB_NUMBERS.values()), ()))
MAX_FINDINGS = 64  # of one record
_GROUPS = frozenset(
    {
        "signal",
        "process",
        "fork",
        "python",
        "kernel",
        "corruption",
        "findings",
        "facts",
        "container",
        "job",
    }
)
_TEXTS = (
    ("python", "version", "python"),
    ("kernel", "release", "kernel"),
    ("process", "executable", EXECUTABLE),
    ("container", "image", "image"),
    ("container", "namespace", "namespace"),
)


def is_process_attribute(name: str) -> bool:
    """Whether an attribute is of the process and not of its host."""
    return name in OF_PROCESS or name.startswith(("lib ", "package ", ENV))


def facts_of_core(record: Mapping[str, Any]) -> dict[str, str]:
    """Return name -> value; a detector that spoke is `found NAME` = true."""
    facts: dict[str, str] = {}
    if _GROUPS.isdisjoint(record):
        return facts
    if signal := get_group(record, "signal"):
        numbers = {name: int32_or_none(signal.get(name)) for name in ("signo", "si_code")}
        facts |= {name: str(number) for name, number in numbers.items() if number is not None}
    for part, key, name in _TEXTS:
        if isinstance(inside := record.get(part), dict) and (
            value := text_or_none(inside.get(key))
        ):
            facts[name] = value
    if program := identify_program(record):
        facts[PROGRAM] = program
    for part, name in (("fork", "forked"), ("python", "free_threaded")):
        truth = get_group(record, part).get(name)
        if isinstance(truth, bool):
            facts[name] = str(truth).lower()
    if corruption := get_group(record, "corruption"):
        for name in ("path", "symptom"):
            if value := text_or_none(corruption.get(name)):
                facts[f"corruption {name}"] = value
    facts |= _cpu_time_and_core_size(record)
    detectors = {
        text_or_none(finding.get("detector"))
        for finding in _json_objects_in_list(record.get("findings"))
    }
    for detector in sorted(name for name in detectors if name):
        facts[f"found {detector}"] = YES
    variables = scalar_texts(get_group(get_group(record, "job"), "environment"))
    of_settings = {ENV + name: text for name, text in variables.items() if name not in _OF_ONE_JOB}
    for name, value in (*of_settings.items(), *scalar_texts(get_group(record, "facts")).items()):
        if len(facts) < MAX_ATTRIBUTES:
            facts.setdefault(name, value)
    return facts


def _cpu_time_and_core_size(record: Mapping[str, Any]) -> dict[str, str]:
    """Return how long the process has run on CPUs, and how large its core is, in GiB from 1 on."""
    facts = {}
    times = get_group(get_group(record, "process"), "cpu_seconds").values()
    seconds = [number for number in map(number_or_none, times) if number is not None]
    if seconds:
        classes = (words for words, most in CPU_TIMES if sum(seconds) < most)
        facts[CPU_TIME] = next(classes, CPU_TIMES[-1][0])
    file = get_group(record, "file")
    size = number_or_none(file.get("size"))
    if size is not None and size >= 0 and file.get("compression") is None:
        gib = min(int(size) >> 30, MAX_GIB)
        facts[CORE_SIZE] = f"{1 << gib.bit_length() - 1} GiB" if gib else "under 1 GiB"
    return facts


def identify_program(record: Mapping[str, Any]) -> str | None:
    """Return what a process is known by: its unit, else its image's name, its script, its comm.

    What runs as one of these is placed and rolled out as one.
    """
    job, container, process = (get_group(record, name) for name in ("job", "container", "process"))
    if unit := _service_of_unit(text_or_none(job.get("unit")) or ""):
        return unit
    if image := text_or_none(container.get("image")):
        return split_image_tag(image)[0]
    return text_or_none(process.get("script")) or text_or_none(process.get("comm"))


def program_name_of_crashes(programs: Collection[str]) -> str | None:
    """Return what crashes are of, by their known programs: SEVERAL of more, None of none."""
    return SEVERAL if len(programs) > 1 else next(iter(programs), None)


def short_program(program: str | None) -> str:
    """Return a program as a table has it: an image without its registry; "" where none is known."""
    return (program or "").rpartition("/")[2]


def program_in_words(program: str | None) -> str:
    """Return a program as a sentence has it."""
    return "several programs" if program == SEVERAL else short_program(program)


def _service_of_unit(unit: str) -> str:
    """Return the service that a unit of systemd is, "" where it does not tell the program.

    A scope holds what others started (a container, a session, a job's step) and has a name of its
    own each time; so have services of systemd-run. What starts other people's programs is all of
    them. Instances of a template (worker@3) are one program.
    """
    name, dot, kind = unit.rpartition(".")
    if kind != "service":
        return "" if kind in ("scope", "slice") else unit
    template, at, _ = name.partition("@")
    if template in STARTERS or name.startswith("run-"):
        return ""
    return f"{template}{at}{dot}{kind}"


def split_image_tag(image: str) -> tuple[str, str]:
    """Return registry:5000/team/app and 2.3 of registry:5000/team/app:2.3@sha256:.."""
    path, slash, name = image.partition("@")[0].rpartition("/")
    name, _, tag = name.partition(":")
    return f"{path}{slash}{name}", tag


def flipped_bit_number(record: Mapping[str, Any]) -> int | None:
    """Return the number (0..63) of the bit that may have flipped; None without one."""
    if "findings" in record or "corruption" in record:
        for finding in _json_objects_in_list(record.get("findings")):
            bit = _bit_number(get_group(finding, "facts").get("bit"))
            if bit is not None:
                return bit
        damage = get_group(get_group(record, "verdict"), "damage")
        candidates = get_group(record, "corruption").get("candidates")
        for candidate in (*_json_objects_in_list(candidates), damage):
            bits = candidate.get("bits")
            if isinstance(bits, list) and len(bits) == 1:
                return _bit_number(bits[0])
    return _bit_number(get_group(record, "flags").get("bit"))


def _bit_number(value: Any) -> int | None:
    bit = int32_or_none(value)
    return bit if bit is not None and 0 <= bit < 64 else None


def _json_objects_in_list(value: Any) -> list[Mapping[str, Any]]:
    return (
        [x for x in value[:MAX_FINDINGS] if isinstance(x, dict)] if isinstance(value, list) else []
    )
