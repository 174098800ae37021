# SPDX-License-Identifier: Apache-2.0
"""Sidecars: each format, which one wins, what disagrees, and hostile ones."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from gdb_epi.errors import InputError, UsageError
from gdb_epi.sidecars import host_json
from gdb_epi.sidecars.apport import read_apport_report
from gdb_epi.sidecars.filename import (
    make_xattr_sidecar,
    read_file_name_sidecar,
    read_xattr_sidecar,
    regex_of_core_pattern,
)
from gdb_epi.sidecars.find import SidecarOptions, find_sidecars
from gdb_epi.sidecars.journal import parse_journal_entries, read_journal
from gdb_epi.sidecars.merge import add_sidecars
from gdb_epi.sidecars.types import Sidecar

BOOT = "2770970a29354abeb466d9fc3d9a6558"
SECRET = "hushc0ffee15bad"
# The fields that systemd-coredump 252 writes (systemd-coredump(8)); values are made up.
ENTRY = {
    "MESSAGE_ID": "fc2e22bc6ee647b6b90729ab34a250b1",
    "__REALTIME_TIMESTAMP": "1764000001500000",
    "COREDUMP_TIMESTAMP": "1764000000250000",
    "COREDUMP_PID": "4242",
    "COREDUMP_UID": "1000",
    "COREDUMP_SIGNAL": "11",
    "COREDUMP_SIGNAL_NAME": "SIGSEGV",
    "COREDUMP_COMM": "python3",
    "COREDUMP_EXE": "/usr/bin/python3.11",
    "COREDUMP_HOSTNAME": "node-3",
    "COREDUMP_UNIT": "trainer.service",
    "COREDUMP_SLICE": "system.slice",
    "COREDUMP_CGROUP": "/system.slice/trainer.service",
    "COREDUMP_CMDLINE": f"python3 app.py --token {SECRET}",
    "COREDUMP_ENVIRON": f"RANK=7\nSLURM_JOB_ID=99\nTOKEN={SECRET}\nPOD_NAME=p-1",
    "COREDUMP_OPEN_FDS": f"0:/home/{SECRET}/x",
    "COREDUMP_CWD": f"/home/{SECRET}",
    "COREDUMP_FILENAME": f"/var/lib/systemd/coredump/core.python3.1000.{BOOT}.4242.1764.zst",
    "_BOOT_ID": BOOT,
    "_MACHINE_ID": "3d1219c7c4c5404aaa1f6d2a48adfda4",
    "_HOSTNAME": "collector",
}  # fmt: skip


def export(*entries: dict[str, str], binary: tuple[str, ...] = ("COREDUMP_ENVIRON",)) -> bytes:
    """Write the journal's export format, some fields in its binary form."""
    out = b""
    for entry in entries:
        for name, value in entry.items():
            raw = value.encode()
            if name in binary or b"\n" in raw:
                out += name.encode() + b"\n" + len(raw).to_bytes(8, "little") + raw + b"\n"
            else:
                out += name.encode() + b"=" + raw + b"\n"
        out += b"\n"
    return out


def record(**more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "core_key": "0" * 32,
        "signal": {"signo": 11},
        "process": {"pid": 4242, "comm": "python3"},
        "soft_errors": [],
    }
    return {**base, **more}


# -- the journal -------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["json", "array", "pretty", "seq", "export", "bytes"])
def test_journal_formats(shape: str, tmp_path: Path) -> None:
    other = {**ENTRY, "COREDUMP_PID": "1", "COREDUMP_FILENAME": "/x/core.other.zst"}
    noise = {"MESSAGE": "started", "_HOSTNAME": "node-3"}
    three = [noise, other, ENTRY]
    as_bytes = {**ENTRY, "COREDUMP_ENVIRON": list(ENTRY["COREDUMP_ENVIRON"].encode())}
    text = {
        "json": "\n".join(map(json.dumps, three)).encode(),
        "array": json.dumps(three).encode(),
        "pretty": json.dumps(ENTRY, indent=1).encode(),
        "seq": b"".join(b"\x1e" + json.dumps(entry).encode() + b"\n" for entry in three),
        "export": export(noise, other, ENTRY),
        "bytes": "\n".join(map(json.dumps, [other, as_bytes])).encode(),
    }[shape]
    path = tmp_path / "j"
    path.write_bytes(text)
    core = f"/cores/core.python3.1000.{BOOT}.4242.1764"
    journal = read_journal(str(path), core, None)
    assert journal is not None and journal.problems == ()
    assert journal.identity == {"pid": 4242, "signo": 11, "comm": "python3"}
    groups = journal.groups
    assert groups["time"] == {"crash_ts": 1764000000.25, "ts_source": "journal"}
    assert groups["host"] == {
        "hostname": "node-3", "hostname_source": "journal", "boot_id": BOOT,
        "machine_id": "3d1219c7c4c5404aaa1f6d2a48adfda4",
    }  # fmt: skip
    assert groups["job"]["id"] == "99" and groups["job"]["rank"] == 7
    assert groups["job"]["unit"] == "trainer.service"
    assert groups["job"]["variables_left_out"] == 1
    assert groups["container"] == {"pod": "p-1", "cgroup": "/system.slice/trainer.service"}
    assert SECRET not in repr(journal)


def test_an_entry_is_chosen_by_pid_when_the_core_has_another_name(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(export({**ENTRY, "COREDUMP_PID": "7"}, ENTRY))
    journal = read_journal(str(path), "/cores/renamed", 4242)
    assert journal is not None and journal.identity["pid"] == 4242
    twice = tmp_path / "k"
    twice.write_bytes(export(ENTRY, {**ENTRY, "COREDUMP_COMM": "other"}))
    journal = read_journal(str(twice), "/cores/renamed", 4242)
    assert journal is not None and journal.groups == {}
    assert "none of its 2 entries" in journal.problems[0]


def test_a_journal_without_crashes_says_so(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_text(json.dumps({"MESSAGE": "x"}))
    journal = read_journal(str(path), "core", 1)
    assert journal is not None and "no entry of systemd-coredump" in journal.problems[0]


def test_damaged_journals_give_no_exception() -> None:
    whole = [export(ENTRY, ENTRY), json.dumps(ENTRY).encode() + b"\n" + b"[" * 5000]
    rng = random.Random(6)
    for data in whole:
        for _ in range(300):
            broken = bytearray(data[: rng.randrange(len(data))])
            for _ in range(rng.randrange(4)):
                if broken:
                    broken[rng.randrange(len(broken))] = rng.randrange(256)
            for entry in parse_journal_entries(bytes(broken)):
                assert all(isinstance(value, str) for value in entry.values())


def test_a_huge_field_is_passed_over() -> None:
    """`COREDUMP` holds the core itself when it is stored in the journal."""
    entry = {**ENTRY, "COREDUMP": "x" * (3 << 20)}
    (journal_entry,) = parse_journal_entries(export(entry, binary=("COREDUMP",)))
    assert "COREDUMP" not in journal_entry and journal_entry["_BOOT_ID"] == BOOT
    lying = b"COREDUMP_PID\n" + (1 << 62).to_bytes(8, "little") + b"7"
    assert list(parse_journal_entries(lying)) == [{"COREDUMP_PID": "7"}]


# -- attributes, names, reports ----------------------------------------------------------------


def test_attributes_of_a_real_file(tmp_path: Path) -> None:
    core = tmp_path / "core"
    core.write_bytes(b"x")
    values = {"pid": "4242", "signal": "11", "timestamp": "1764000000250000",
              "hostname": "node-3", "comm": "python3", "exe": f"/home/{SECRET}/p"}  # fmt: skip
    assert read_xattr_sidecar(str(core)) is None
    try:
        for name, value in values.items():
            os.setxattr(core, f"user.coredump.{name}", value.encode())
    except OSError as error:
        pytest.skip(f"no user attributes on this file system: {error}")
    xattrs = read_xattr_sidecar(str(core))
    assert xattrs == make_xattr_sidecar(values)
    assert xattrs is not None and xattrs.groups == {
        "time": {"crash_ts": 1764000000.25, "ts_source": "xattr"},
        "host": {"hostname": "node-3", "hostname_source": "xattr"},
    }
    assert xattrs.identity == {"pid": 4242, "signo": 11, "comm": "python3"}


def test_attributes_in_seconds_and_nonsense() -> None:
    assert (
        make_xattr_sidecar({"timestamp": "1764000000"}).groups["time"]["crash_ts"] == 1764000000.0
    )
    assert make_xattr_sidecar({"timestamp": "-1", "pid": "x", "signal": "99999"}) == Sidecar(
        "xattr", "user.coredump.*", {}, {}
    )


@pytest.mark.parametrize(
    ("template", "name", "time", "identity", "host"),
    [
        ("core.%e.%p.%t", "core.python3.4242.1764000000", 1764000000.0,
         {"pid": 4242, "comm": "python3"}, None),
        ("/var/crash/%t-%s-%e-%h.core", "1764000000-11-my.prog-node-3.core", 1764000000.0,
         {"signo": 11, "comm": "my.prog"}, "node-3"),
        ("core-%e-%s-%u-%g-%p-%t", "core-a-b-11-0-0-4242-1764000000.zst", 1764000000.0,
         {"signo": 11, "comm": "a-b", "pid": 4242}, None),
        ("core", "core.4242", None, {"pid": 4242}, None),  # core_uses_pid
        ("%%%p%z%C", "%42420", None, {"pid": 4242}, None),  # %z: the kernel drops what it lacks
    ],
)  # fmt: skip
def test_names(
    template: str, name: str, time: float | None, identity: dict[str, Any], host: str | None
) -> None:
    core_name = read_file_name_sidecar(f"/cores/{name}", template)
    assert core_name is not None and core_name.problems == ()
    assert core_name.groups.get("time", {}).get("crash_ts") == time
    assert core_name.identity == identity
    assert core_name.groups.get("host", {}).get("hostname") == host


def test_the_cpu_in_a_name() -> None:
    core_name = read_file_name_sidecar("core.p.3", "core.%e.%C")
    assert core_name is not None
    assert core_name.groups["cpu"] == {"number": 3, "source": "core_pattern"}


def test_systemds_names_need_no_template() -> None:
    core_name = read_file_name_sidecar(
        f"/x/core.my.prog.1000.{BOOT}.4242.1764000000250000.zst", None
    )
    assert core_name is not None
    assert core_name.groups["time"]["crash_ts"] == 1764000000.25
    assert core_name.groups["host"] == {"boot_id": BOOT}
    assert core_name.identity == {"pid": 4242, "comm": "my.prog"}
    assert read_file_name_sidecar("/x/core.1", None) is None


def test_a_name_that_does_not_fit_is_told_and_a_bad_template_is_refused() -> None:
    core_name = read_file_name_sidecar("/x/core.1", "core.%e.%p.%t")
    assert (
        core_name is not None and "does not fit" in core_name.problems[0] and core_name.groups == {}
    )
    for bad in ("|/usr/lib/systemd/systemd-coredump %P", "/var/crash/", "%e" * 1000):
        with pytest.raises(UsageError):
            regex_of_core_pattern(bad)


def test_a_template_with_many_texts_takes_no_time() -> None:
    """Several %e in a row must not make the match try every way to cut a name."""
    import time

    begun = time.process_time()
    assert read_file_name_sidecar("a" * 250 + "!", "%e%h%f%e.%h.%f.%p") is not None
    assert time.process_time() - begun < 10.0
    with pytest.raises(UsageError, match="told apart"):
        regex_of_core_pattern("%e%h%f%E")


APPORT = f"""ProblemType: Crash
Architecture: amd64
Date: Mon Nov 24 16:00:00 UTC 2025
DistroRelease: Ubuntu 24.04
ExecutablePath: /usr/bin/python3.12
Package: python3.12-minimal 3.12.3-1ubuntu0.8
ProcCmdline: python3 app.py {SECRET}
ProcEnviron:
 PATH=(custom, no user)
 RANK=5
 TOKEN={SECRET}
ProcStatus:
 Name:\tpython3
 Pid:\t4242
Signal: 11
Uname: Linux 6.8.0-45-generic x86_64
CoreDump: base64
 H4sICAAAAAAC/0NvcmVEdW1wAA==
"""


def test_an_apport_report_and_the_folder_of_apport_unpack(tmp_path: Path) -> None:
    report = tmp_path / "x.crash"
    report.write_text(APPORT)
    apport = read_apport_report(str(report))
    assert apport is not None
    assert apport.groups["time"] == {"crash_ts": 1764000000.0, "ts_source": "apport"}
    assert apport.groups["kernel"] == {"release": "6.8.0-45-generic"}
    assert apport.groups["job"]["rank"] == 5
    assert apport.groups["host"]["attributes"]["distribution"] == "Ubuntu 24.04"
    assert apport.identity == {"signo": 11, "comm": "python3", "pid": 4242}
    assert SECRET not in repr(apport)
    folder = tmp_path / "unpacked"
    folder.mkdir()
    (folder / "ProblemType").write_text("Crash")
    (folder / "Signal").write_text("11")
    (folder / "Date").write_text("Mon Nov 24 16:00:00 2025")  # whose time zone?
    (folder / "CoreDump").write_bytes(b"x")
    (apport,) = find_sidecars(str(folder / "CoreDump"), SidecarOptions(), None)
    assert apport.kind == "apport" and apport.identity == {"signo": 11}
    assert "time" not in apport.groups
    (tmp_path / "y.crash").write_text("nothing of the kind")
    assert read_apport_report(str(tmp_path / "y.crash")) is None


# -- finding and merging -----------------------------------------------------------------------


def test_what_lies_beside_a_core_is_found_in_order(tmp_path: Path) -> None:
    core = tmp_path / "core.1.zst"
    core.write_bytes(b"x")
    (tmp_path / "core.1.journal.json").write_text(
        json.dumps({**ENTRY, "COREDUMP_FILENAME": "/v/core.1.zst"})
    )
    (tmp_path / "core.1.crash").write_text(APPORT)
    (tmp_path / "host.json").write_text(json.dumps({"hostname": "h", "rack": "r7"}))
    named = tmp_path / "named.json"
    named.write_text(json.dumps({"hostname": "n", "rack": "r8"}))
    kinds = [sidecar.kind for sidecar in find_sidecars(str(core), SidecarOptions(), 4242)]
    assert kinds == ["journal", "apport", "host.json"]
    asked = SidecarOptions(host_json=str(named), core_pattern="core.%p")
    kinds = [sidecar.kind for sidecar in find_sidecars(str(core), asked, 4242)]
    assert kinds == ["--host-json", "journal", "apport", "host.json", "core_pattern"]
    assert find_sidecars(str(core), SidecarOptions(beside=False), 4242) == []
    made = record()
    add_sidecars(made, find_sidecars(str(core), asked, 4242))
    assert made["host"]["hostname"] == "n"
    assert made["host"]["attributes"]["rack"] == "r8"  # the stronger one
    assert made["host"]["attributes"]["distribution"] == "Ubuntu 24.04"
    assert made["time"]["ts_source"] == "journal"
    messages = [error["message"] for error in made["soft_errors"]]
    assert any("host.hostname node-3 disagrees with n" in message for message in messages)
    assert any("pid 1, in the core 4242" in message for message in messages)  # core.1 by core.%p


@pytest.mark.parametrize(
    ("identity", "why"), [({"signo": 6}, "signal 6"), ({"comm": "nginx"}, "command nginx")]
)
def test_a_sidecar_of_another_crash_is_not_used(identity: dict[str, Any], why: str) -> None:
    made = record()
    add_sidecars(made, [Sidecar("journal", "j", {"host": {"hostname": "h"}}, identity)])
    assert "host" not in made and "sidecars" not in made
    assert why in made["soft_errors"][0]["message"]


def test_the_core_is_never_overruled() -> None:
    made = record(cpu={"number": 3, "source": "rseq"}, kernel={"version": "6.8.0"})
    sidecar = Sidecar("core_pattern", "file name", {"cpu": {"number": 5, "source": "x"}}, {})
    other = Sidecar("host.json", "h", {"kernel": {"release": "5.15.0-91"}}, {})
    add_sidecars(made, [sidecar, other])
    assert made["cpu"] == {"number": 3, "source": "rseq"}
    messages = " ".join(error["message"] for error in made["soft_errors"])
    assert "cpu.number 5 disagrees with 3" in messages
    assert "kernel release 5.15.0-91, but the core's vDSO is of 6.8.0" in messages


@pytest.mark.parametrize(
    ("version", "release", "fits"),
    [("6.8.0", "6.8.0-45-generic", True), ("6.18.44", "6.18.44-fc-v595", True),
     ("6.1.0", "6.1-custom", True), ("6.18.44", "6.18.43-x", False)],
)  # fmt: skip
def test_releases_of_the_same_kernel(version: str, release: str, fits: bool) -> None:
    made = record(kernel={"version": version})
    add_sidecars(made, [Sidecar("host.json", "h", {"kernel": {"release": release}}, {})])
    assert (made["soft_errors"] == []) is fits


def test_the_environments_host_name_is_the_weakest() -> None:
    weak = {"hostname": "pod-1", "hostname_source": "environment"}
    made = record(host=dict(weak))
    add_sidecars(made, [make_xattr_sidecar({"hostname": "node-3"})])
    assert made["host"] == {"hostname": "node-3", "hostname_source": "xattr"}
    assert made["soft_errors"] == []
    made = record(host=dict(weak))
    add_sidecars(made, [])
    assert made["host"] == weak


def test_times_within_two_seconds_agree() -> None:
    made = record(time={"crash_ts": 1764000000.25, "ts_source": "journal"})
    add_sidecars(made, [make_xattr_sidecar({"timestamp": "1764000001"})])
    assert made["soft_errors"] == []
    add_sidecars(made, [make_xattr_sidecar({"timestamp": "1764009999"})])
    assert "time.crash_ts" in made["soft_errors"][0]["message"]


def test_host_json_is_bounded_and_its_own_errors_are_told(tmp_path: Path) -> None:
    path = tmp_path / "h.json"
    path.write_text(json.dumps({"attributes": {str(n): "x" * 1000 for n in range(900)}}))
    groups = host_json.read_host_json_named_by_user(str(path)).groups
    assert len(groups["host"]["attributes"]) <= host_json.MAX_ATTRIBUTES
    for bad in ("[1]", "{", "[" * 100_000, '"x"', " " * (2 << 20)):
        path.write_text(bad)
        with pytest.raises(InputError):
            host_json.read_host_json_named_by_user(str(path))
        assert host_json.read_host_json_found_beside_core(str(path)) is None
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="regular file"):
        host_json.read_host_json_named_by_user(str(tmp_path / "pipe"))


def test_an_unreadable_neighbour_is_told_not_fatal(tmp_path: Path) -> None:
    core = tmp_path / "core"
    core.write_bytes(b"x")
    (tmp_path / "core.journal").mkdir()
    made = record()
    add_sidecars(made, find_sidecars(str(core), SidecarOptions(), None))
    assert "sidecars" not in made
    assert "directory" in made["soft_errors"][0]["message"].lower()
