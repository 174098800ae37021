# SPDX-License-Identifier: Apache-2.0
"""What records say of the machine and the build, against what each process knew of itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support.cores import Made
from support.interpreters import Interpreter, spread
from support.opening import made_or_skip, session_of
from support.surroundings import surroundings

from gdb_epi.analysis import analyze
from gdb_epi.record.environment_variables import is_allowed

CPUS = (0, 1)
CELLS = [
    pytest.param(interpreter, cpu, id=f"{interpreter.id}-cpu{cpu}")
    for number, interpreter in enumerate(spread("surroundings"))
    for cpu in (CPUS[number % 2],)
]
OLD_GLIBC = ("bullseye-",)  # 2.31: before rseq


def known(interpreter: Interpreter, cpu: int) -> tuple[Made, dict[str, Any]]:
    if cpu not in os.sched_getaffinity(0):
        pytest.skip(f"this machine has no CPU {cpu} for us")
    made = made_or_skip(interpreter, surroundings(cpu))
    return made, analyze(session_of(made))


def cpuinfo() -> dict[str, str]:
    """Return what this machine says of its processor, for a process that had no /proc."""
    lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].split("\n")
    return {name.strip(): value.strip() for name, _, value in (x.partition(":") for x in lines)}


@pytest.mark.parametrize(("interpreter", "cpu"), CELLS)
def test_machine_and_build(interpreter: Interpreter, cpu: int) -> None:
    made, record = known(interpreter, cpu)
    truth = made.truth
    if interpreter.id.startswith(OLD_GLIBC):
        assert "cpu" not in record
    else:
        assert record["cpu"]["number"] == cpu
        if truth["node"] is not None:
            assert record["cpu"]["numa_node"] == truth["node"]
    info, hardware = truth["cpuinfo"] or cpuinfo(), record["hardware"]
    seen = [str(hardware[name]) for name in ("family", "model", "stepping")]
    assert seen == [info[name] for name in ("cpu family", "model", "stepping")]
    assert hardware["vendor"] in info["vendor_id"].lower()
    assert hardware["platform"] == truth["uname"][4]
    assert truth["uname"][2].startswith(record["kernel"]["version"])
    assert len(record["kernel"]["vdso_build_id"]) == 40
    assert record["process"]["exec_id"] == truth["exec_id"]
    _same_build(record["python"], truth)
    _same_time(record["process"]["cpu_seconds"], truth["seconds"])


def _same_build(python: dict[str, Any], truth: dict[str, Any]) -> None:
    assert python["build"] == " ".join(truth["build"].split())
    assert python.get("abiflags", "") == truth["abiflags"]
    usual = {"hash_randomization": 1}
    for name, value in python["flags"].items():
        assert truth["flags"][name] == value != usual.get(name, 0)
    unusual = {n for n, v in truth["flags"].items() if v != usual.get(n, 0)}
    later = {"warn_default_encoding", "safe_path", "int_max_str_digits", "gil"}
    later |= {"thread_inherit_context", "context_aware_warnings", "lazy_imports", "n_fields"}
    assert unusual - later - set(python["flags"]) <= {"n_sequence_fields", "n_unnamed_fields"}


def _same_time(seen: dict[str, float], then: list[float]) -> None:
    """The right members in the right unit: the two clocks of the kernel are not one.

    The core has what the timer found running, in samples of 1 to 10 ms (fill_prstatus(),
    fs/binfmt_elf.c, calls thread_group_cputime()); times() has that scaled to the time that the
    scheduler measured (thread_group_cputime_adjusted()). On a busy machine they were 0.11 and 0.24.
    """
    assert sum(then) >= 0.2
    total = seen["user"] + seen["system"]
    assert sum(then) / 10 <= total <= 10 * sum(then) + 2.0


@pytest.mark.parametrize(("interpreter", "cpu"), CELLS[:4])
def test_only_variables_of_the_list(interpreter: Interpreter, cpu: int) -> None:
    made, record = known(interpreter, cpu)
    truth, job = made.truth["environment"], record["job"]
    for name, value in job["environment"].items():
        if name != "LD_PRELOAD":
            assert truth[name] == value
    expected = {name for name in truth if is_allowed(name)}
    elsewhere = {"POD_NAME", "POD_NAMESPACE", "NODE_NAME"}
    assert set(job["environment"]) == expected - elsewhere
    assert job["variables_left_out"] + len(expected) == len(truth)
    assert (job["id"], job["scheduler"], job["rank"]) == ("4711", "slurm", 3)
    assert (job["world_size"], job["local_rank"]) == (16, 1)
    pod = {"pod": "trainer-0", "namespace": "ml", "node": "node-17.example"}
    assert record["container"] == pod
    assert record["host"] == {"hostname": "node-17.example", "hostname_source": "environment"}
    assert job["environment"]["LD_PRELOAD"] == "https://~@host/lib.so"


@pytest.mark.parametrize(("interpreter", "cpu"), CELLS[:4])
def test_where_it_failed(interpreter: Interpreter, cpu: int) -> None:
    """memmove() to address 0: the destination is rdi, or a register that follows it."""
    _, record = known(interpreter, cpu)
    facts = record["facts"]
    assert facts["pc_in"] == "code"
    assert facts["fault_in"] == "null"
    assert facts["rsp_mod_16"] in (0, 8)
    if "operand" in facts:
        assert facts["access"] in ("w", None)
        assert record["signal"]["operand"]["address"] == "0x" + "0" * 16
    assert "return_slot_how" not in facts
