# SPDX-License-Identifier: Apache-2.0
"""Facts of a process that are absent, damaged or ambiguous; what redaction does to texts."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from support.scenes import FS_BASE, HEAP, MMAP, PC, PID, SP, STACK, crash, frame, state

from gdb_epi.analysis import analyze
from gdb_epi.errors import Absent
from gdb_epi.record.environment_variables import Environment, is_allowed, read_environment
from gdb_epi.record.groups.host_container_job import read_container, read_host, read_job
from gdb_epi.record.groups.machine import (
    AT_RSEQ_FEATURE_SIZE,
    LastCpu,
    Processor,
    decode_cpuid_signature,
    gpu_driver,
    read_kernel,
    read_last_cpu,
    read_processor,
)
from gdb_epi.record.groups.signal import operand_text
from gdb_epi.record.redact import redact_people, redact_value
from gdb_epi.record.user_redaction import parameterise_message, pseudonymise, redact_addresses
from gdb_epi.session import Session
from gdb_epi.target.api import Region, Thread
from gdb_epi.x86 import first_memory_operand

NATIVE = [frame("f"), frame("main"), frame("_start")]
OFFSET = 0x100  # of the rseq area from the thread pointer


def rseq(start: int, number: int, node: int = 1, offset: int = OFFSET) -> dict[int, int]:
    """Return the words of an rseq area and of the offset that glibc exports."""
    area = FS_BASE + OFFSET
    return {HEAP: offset, area: number << 32 | start, area + 16: node << 32}


def cpu_of(words: dict[int, int], feature_size: int = 32, **more: Any) -> LastCpu | Absent:
    made = state(crash(), words=words, symbols={"__rseq_offset": HEAP}, **more).target
    made._auxv = {AT_RSEQ_FEATURE_SIZE: feature_size}
    return read_last_cpu(made, made.threads()[0])


def test_the_cpu_of_a_registered_area() -> None:
    assert cpu_of(rseq(5, 5)) == LastCpu(5, 1)
    assert cpu_of(rseq(5, 5), feature_size=20) == LastCpu(5, None)  # before Linux 6.3
    assert cpu_of(rseq(5, 5, offset=(1 << 64) - 0x200)) != LastCpu(5, 1)  # another place


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (rseq(0, (1 << 32) - 1), "not registered"),  # RSEQ_CPU_ID_UNINITIALIZED
        (rseq(0, (1 << 32) - 2), "not registered"),  # RSEQ_CPU_ID_REGISTRATION_FAILED
        (rseq(3, 4), "not registered"),
        (rseq(5, 5, offset=0), "no rseq area"),
        (rseq(5, 5, offset=1 << 40), "no rseq area"),
    ],
)
def test_no_cpu_without_a_registered_area(words: dict[int, int], why: str) -> None:
    cpu = cpu_of(words)
    assert isinstance(cpu, Absent) and why in cpu.detail


def test_a_files_copy_of_the_offset_is_no_offset() -> None:
    """A truncated core: the word would come from ld.so's file, where it is 0 or stale."""
    here = Region(0x1000_0000, 0x1000_1000, "r--", "/lib/ld.so", 0, 0)
    made = state(
        crash(), words=rseq(5, 5), symbols={"__rseq_offset": here.start},
        extra_regions=(here,), extra_memory={here.start: struct.pack("<Q", OFFSET) + bytes(64)},
    ).target  # fmt: skip
    last_cpu = read_last_cpu(made, made.threads()[0])
    assert isinstance(last_cpu, Absent) and "not in the core" in last_cpu.detail


def cpuid(*blocks: tuple[int, ...], signature: int = 0x00A00F11, features: int = 1 << 31) -> Any:
    """Return what is found in a _rtld_global_ro with these blocks before leaf 1."""
    made = state(crash(), symbols={"_rtld_global_ro": HEAP}).target
    at = HEAP + 64
    for block in blocks:
        made.write(at, struct.pack("<5I", *block))
        at += 32
    made.write(at + 8, struct.pack("<4I", signature, 0, features, 0))
    return read_processor(made)


def test_the_processor_is_believed_with_a_second_witness_only() -> None:
    assert cpuid((2, 16, 25, 1, 1)) == Processor("amd", 25, 1, 1, True)
    assert cpuid((2, 16, 25, 1, 1), features=0) == Processor("amd", 25, 1, 1, False)
    for blocks in ([(2, 16, 25, 1, 2)], [(7, 16, 25, 1, 1)], [(2, 0, 25, 1, 1)], []):
        assert isinstance(cpuid(*blocks), Absent)
    two = cpuid((2, 16, 25, 1, 1), (1, 16, 25, 1, 1))
    assert isinstance(two, Absent) and "2 places" in two.detail


@pytest.mark.parametrize(
    ("eax", "expected"),
    [(0x000906ED, (6, 158, 13)), (0x00A00F11, (25, 1, 1)), (0x00B20F40, (26, 36, 0)),
     (0x000806F8, (6, 143, 8)), (0x00000F4A, (15, 4, 10)), (0xFFFFFFFF, (-1, -1, -1))],
)  # fmt: skip
def test_signatures(eax: int, expected: tuple[int, int, int]) -> None:
    assert decode_cpuid_signature(eax) == expected


def test_no_kernel_without_a_vdso() -> None:
    made = state(crash()).target
    assert isinstance(read_kernel(made), Absent)
    made._auxv = {33: MMAP}  # no ELF header there
    kernel = read_kernel(made)
    assert isinstance(kernel, Absent) and "ELF" in kernel.detail


# -- environment ------------------------------------------------------------------------------


def with_block(*entries: bytes) -> Any:
    """Return a process whose arguments, environment and file name lie above its stack."""
    made = state(crash()).target
    block = b"python3\0--token=x\0" + b"\0".join(entries) + b"\0"
    end = STACK + 0x7000
    made.write(end - len(block), block)
    made.write(end, b"/usr/bin/python3\0")
    made._auxv = {31: end}
    return made


def test_the_block_above_the_stack_ends_where_the_arguments_begin() -> None:
    environment = read_environment(with_block(b"RANK=3", b"SECRET=hush", b"USER=alice"))
    assert environment == Environment({"RANK": "3"}, 2, "stack", frozenset({"alice"}))


def test_environ_counts_before_the_block() -> None:
    made = with_block(b"RANK=3")
    table, text = HEAP + 0x100, HEAP + 0x200
    made._symbols = {"environ": HEAP}
    made.write(HEAP, struct.pack("<Q", table))
    made.write(table, struct.pack("<3Q", text, text + 0x40, 0))
    made.write(text, b"RANK=9\0")
    made.write(text + 0x40, b"X=1\0")
    assert read_environment(made) == Environment({"RANK": "9"}, 1, "environ", frozenset())


def test_an_environment_without_end_is_bounded() -> None:
    made = state(crash(), symbols={"environ": HEAP}).target
    made.write(HEAP, struct.pack("<Q", MMAP))
    made.write(MMAP, struct.pack("<Q", HEAP + 0x100) * 0x700)
    made.write(HEAP + 0x100, b"RANK=" + b"9" * 0x3000)
    environment = read_environment(made)
    assert isinstance(environment, Environment)
    assert len(environment.values["RANK"]) < 5000


def test_no_environment_says_so() -> None:
    environment = read_environment(state(crash()).target)
    assert isinstance(environment, Absent)


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("RANK", True), ("NCCL_DEBUG", True), ("PYTHONHASHSEED", True), ("OMP_NUM_THREADS", True),
     ("NCCL_AUTH_TOKEN", False), ("PYTHON_KEYRING_PASSWORD", False), ("PYTHONSECRET", False),
     ("AWS_SECRET_ACCESS_KEY", False), ("PATH", False), ("HOME", False), ("rank", False)],
)  # fmt: skip
def test_names_that_may_be_recorded(name: str, allowed: bool) -> None:
    assert is_allowed(name) is allowed


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"HOSTNAME": "node-3"}, "node-3"),
        ({"HOSTNAME": "trainer-0", "KUBERNETES_SERVICE_HOST": "10.0.0.1"}, None),
        ({"HOSTNAME": "3d1219c7c4c5"}, None),  # Docker
        ({"HOSTNAME": "c1", "container": "podman"}, None),
        ({"HOSTNAME": "trainer-0", "NODE_NAME": "node-3"}, "node-3"),
        ({}, None),
    ],
)
def test_a_containers_name_is_no_hosts_name(values: dict[str, str], name: str | None) -> None:
    assert (read_host(values) or {}).get("hostname") == name


def test_job_and_container() -> None:
    values = {"SLURM_JOB_ID": "9", "SLURM_PROCID": "x", "RANK": "2", "POD_NAME": "p"}
    job = read_job(Environment(values, 5, "environ", frozenset()))
    assert job is not None
    assert (job["scheduler"], job["rank"], job["variables_left_out"]) == ("slurm", 2, 5)
    assert "POD_NAME" not in job["environment"]
    assert read_container(values) == {"pod": "p"}
    assert "rank" not in (read_job(Environment({"RANK": "-1"}, 0, "", frozenset())) or {})


def test_the_gpus_driver_by_file_names() -> None:
    assert gpu_driver(["/lib/libc.so.6", "/usr/lib/libcuda.so.535.161.08"]) == "535.161.08"
    assert gpu_driver(["/lib/libcuda.so.1", "/lib/libcuda.so.x.y"]) is None


@pytest.mark.parametrize(
    ("code", "text"),
    [("488b4710", "rdi+0x10"), ("488b44cf10", "rdi+rcx*8+0x10"), ("8943fc", "rbx-0x4"),
     ("64488b042528000000", "fs:0x28"), ("488b0510000000", "rip+0x10")],
)  # fmt: skip
def test_operands_as_text(code: str, text: str) -> None:
    operand = first_memory_operand(bytes.fromhex(code))
    assert operand is not None and operand_text(operand) == text


# -- redaction --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("user 'alice' has 3 tokens", "user <text> has <number> tokens"),
        ("cannot open /home/alice/key.pem: denied", "cannot open <path>: denied"),
        ("at 0x7ffe12 offset -12.5e3", "at <hex> offset <number>"),
        ("see https://x.org/?key=1 now", "see <url> now"),
        ("mail bob@example.org", "mail <email>"),
        ("token eyJhbGciOiJIUzI1NiJ9 bad", "token <secret> bad"),
        (
            "no login with password hunter token=tok3",
            "no login with password <secret> token=<value>",
        ),
        ("no auth token swordfish here", "no auth token <secret> here"),
        ("Authorization: Bearer swordfish", "Authorization: Bearer <secret>"),
        ("bad credentials: joe", "bad credentials: <secret>"),
        ("refused: Bearer abc.def id 123f2a9c", "refused: Bearer <secret> id <hex>"),
        (
            "user bob7 cannot convert int64",
            "user <word> cannot convert int64",
        ),
        ("id 2770970a-2935-4abe-b466-d9fc3d9a6558", "id <hex>"),
        ("plain words stay", "plain words stay"),
        ("first line\nsecond: hunter2", "first line"),
        ("unclosed 'quote", "unclosed <text>"),
    ],
)
def test_messages_are_parameterised(message: str, told: str) -> None:
    assert parameterise_message(message) == told


def test_a_huge_message_is_cut_before_it_is_searched() -> None:
    import time

    begun = time.process_time()
    for text in ("/a" * 10**6, "'" * 10**6, "a1" * 10**6, "1." * 10**6):
        assert len(parameterise_message(text)) <= 200
    assert time.process_time() - begun < 10.0


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("postgres://app:pw@db/x", "postgres://~@db/x"),
        ("/home/alice/lib.so", "/home/~/lib.so"),
        ("x" * 20 + "1" + "y" * 20, "~"),
        ("4", "4"),
        ("INIT,NET,GRAPH", "INIT,NET,GRAPH"),
    ],
)
def test_values_of_allowed_variables(value: str, kept: str) -> None:
    assert redact_value(value) == kept


def test_users_leave_paths_by_their_own_names() -> None:
    record = {"a": ["/scratch/alice/x.py", "/srv/alicent/x.py"], "b": {"text": "alice: no path"}}
    assert redact_people(record, {"alice", "ro", "app"}) == {
        "a": ["/scratch/~/x.py", "/srv/alicent/x.py"], "b": {"text": "alice: no path"},
    }  # fmt: skip


def test_common_names_are_no_users() -> None:
    record = {"a": "/srv/app/data/root/x.py"}
    assert redact_people(record, {"app", "data", "root"}) == record


def test_addresses_are_redacted_and_the_null_page_stays() -> None:
    made = state(crash(address=8), native=NATIVE, code=b"\x48\x8b\x47\x08", registers={"rdi": 0})
    session = Session(made.target)
    session.__dict__["state"] = made
    whole = analyze(session)
    redacted = redact_addresses(whole)
    text = json.dumps(redacted)
    for address in (PC, SP, FS_BASE):
        assert f"{address:x}" not in text
    assert redacted["signal"]["fault_address"] == "0x0000000000000008"
    assert redacted["signal"]["pc"] == "redacted"
    assert redacted["signature"]["keys"] == whole["signature"]["keys"]
    reasons = {**whole, "verdict": {"reasons": ["it is the number 3735879680, 4 bytes"]}}
    assert redact_addresses(reasons)["verdict"]["reasons"] == ["it is the number ~, 4 bytes"]
    from support.schema import problems

    assert problems(redacted) == []


def test_hmacs_join_hosts_and_do_not_repeat_themselves() -> None:
    record = {
        "host": {"hostname": "n1", "boot_id": "b", "attributes": {"serial": "s", "rack": "r"}},
        "container": {"node": "n1", "pod": "p", "image": "i"},
        "job": {"environment": {"SLURMD_NODENAME": "n1", "RANK": "1"}},
    }
    key = b"k" * 16
    redacted = pseudonymise(record, key)
    assert redacted["host"]["hostname"] == redacted["container"]["node"]
    assert redacted["host"]["hostname"] == redacted["job"]["environment"]["SLURMD_NODENAME"]
    assert redacted["host"]["attributes"]["rack"] == "r" and redacted["container"]["image"] == "i"
    assert "n1" not in json.dumps(redacted) and '"s"' not in json.dumps(redacted)
    assert record["host"]["hostname"] == "n1"  # the original is untouched
    again = pseudonymise(redacted, key)
    assert again["host"] == redacted["host"]
    assert pseudonymise(record, b"l" * 16)["host"]["hostname"] != redacted["host"]["hostname"]


def test_cpu_time_is_that_of_the_main_thread() -> None:
    registers = {"rip": PC, "rsp": SP}
    threads = [Thread(PID + 1, registers, "w", (9.0, 9.0)), Thread(PID, registers, "m", (1.5, 0.5))]
    made = state(crash(), threads=threads)
    session = Session(made.target)
    session.__dict__["state"] = made
    assert analyze(session)["process"]["cpu_seconds"] == {"user": 1.5, "system": 0.5}
