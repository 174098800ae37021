# SPDX-License-Identifier: Apache-2.0
"""Which hosts are taken out: never too many, never by a name that a shell would run."""

from __future__ import annotations

import json
import shlex
import subprocess
from argparse import Namespace

import pytest
from unit.fleet_records import minimal

from gdb_epi.cli.fleet.daily.exclude import _print_plan
from gdb_epi.cli.main import main
from gdb_epi.fleet.decisions.drain_plan import (
    DrainPlan,
    HostToDrain,
    kubernetes_lines,
    slurm_lines,
)
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.exposure import read_host_days, store_exposure
from gdb_epi.fleet.store.ingest import ingest

FIRST, DAY = 20_400, 86_400
EVIL = ("x;reboot", "$(reboot)", "n[1-9]", "a,b", "-rf", "a b", "a\nreboot", "`id`", "é", "", ".")


def crash(number, host, day, **more):
    where = {"hostname": host}
    when = {"crash_ts": (FIRST + day) * DAY + number * 7_919 % DAY}  # at any time of the day
    signature = {"version": "gsig/2", "keys": {"stable": f"{number % 40:016x}"}}
    return minimal(number, host=where, time=when, signature=signature, **more)


@pytest.fixture
def db(tmp_path):
    """400 hosts; three break with crashes of all kinds, one dies again and again of one thing."""
    path, hours = str(tmp_path / "f.sqlite3"), tmp_path / "hours.csv"
    bad = ("node-7", "node-8", "bad;reboot")
    hosts = [*(f"node-{h}" for h in range(400)), bad[2]]
    rows = [f"{FIRST + d},24,{host}" for d in range(20) for host in hosts]
    hours.write_text("day,hours,host\n" + "\n".join(rows) + "\n")
    flip = {"bitflip": True, "lock_inherited": False}
    records = [crash(n, f"node-{100 + n % 250}", n % 20) for n in range(250)]
    for k, host in enumerate(bad):
        size = 30 - 5 * k
        records += [crash(1000 * (k + 1) + n, host, n % 15, flags=flip) for n in range(size)]
    records += [crash(9000 + 40 * n, "node-9", n % 15) for n in range(30)]
    with open_database(path, write=True) as engine:
        store_exposure(engine, read_host_days(hours))
        ingest(engine, [("t", record) for record in records])
    return path


def exclude(db, capsys, *words):
    assert main(["fleet", "exclude", "--db", db, *words]) == 0
    return capsys.readouterr().out


def test_a_plan_names_reason_evidence_and_days_and_changes_nothing(db, capsys):
    made = json.loads(exclude(db, capsys, "--format", "json"))
    assert made["dry_run"] is True and made["fleet"] == 401 and made["most"] == 8
    assert [host["host"] for host in made["hosts"]] == ["node-7", "node-8"]
    first = made["hosts"][0]
    assert first["since"] == "2025-11-08" and first["until"] > first["since"]
    assert first["reason"].startswith("hardware suspect: 30 crashes") and first["evidence"]
    assert [row["host"] for row in made["refused"]] == ["bad;reboot"]
    assert "node-9" in [row["host"] for row in made["left_in"]], "its job may be the cause"
    assert json.loads(exclude(db, capsys, "--format", "json"))["drained"] == []


def test_never_more_than_the_share(db, capsys):
    share = json.loads(exclude(db, capsys, "--format", "json", "--at-most", "0.3%"))
    assert share["most"] == 1 and [h["host"] for h in share["hosts"]] == ["node-7"]
    assert [h["host"] for h in share["beyond"]] == ["node-8"]
    none = json.loads(exclude(db, capsys, "--format", "json", "--at-most", "0.2%"))
    assert none["most"] == 0 and none["hosts"] == []
    few = json.loads(exclude(db, capsys, "--format", "json", "--fleet-size", "40"))
    assert few["most"] == 0 and few["hosts"] == []
    words = ("--fleet-size", "40")
    out = exclude(db, capsys, *words)
    assert out.startswith("node-7, node-8 should be drained, and too many would be out then\n")
    assert "no host may be out: 2 % of 40 hosts (--fleet-size); to allow it: --at-most 5%\n" in out
    assert out.count("--at-most") == 1 and "too, " not in out
    # A scheduler's job must see that what should be done was not.
    assert main(["fleet", "exclude", "--db", db, *words, "--apply"]) == 4
    assert capsys.readouterr().out.startswith("nothing is marked: node-7, node-8 should be drained")
    assert "node-7" in exclude(db, capsys, *words, "--at-most", "5%").splitlines()[0]
    # What is out already counts.
    assert main(["fleet", "mark", "host", "node-120", "--drained", "--db", db]) == 0
    capsys.readouterr()
    some = json.loads(exclude(db, capsys, "--format", "json", "--at-most", "0.5%"))
    assert some["drained"] == ["node-120"] and [h["host"] for h in some["hosts"]] == ["node-7"]


def test_hosts_left_in_are_not_mistaken_for_those_whose_time_is_over(capsys):
    chosen, beyond = (HostToDrain(n, "suspect", (), FIRST, FIRST, 9) for n in ("n-1", "n-2"))
    plan = DrainPlan((chosen,), (beyond,), (), (), ("n-3",), ("n-3",), 100, "hours", 2)
    _print_plan(plan, Namespace(apply=False, at_most=0.02))
    lines = capsys.readouterr().out.splitlines()
    assert "left in, though they should be out too: n-2" in lines
    assert "their time is over, mark them --repaired or --back: n-3" in lines


def test_a_dry_run_is_comments_and_apply_is_commands(db, capsys):
    for form in ("slurm", "kubernetes"):
        out = exclude(db, capsys, "--format", form)
        assert out and all(line.startswith("# ") for line in out.splitlines())
    out = exclude(db, capsys, "--format", "slurm", "--apply", "--by", "ann")
    commands = [line for line in out.splitlines() if not line.startswith("# ")]
    words = [shlex.split(line) for line in commands]
    assert [w[:4] for w in words] == [
        ["scontrol", "update", "NodeName=node-7", "State=DRAIN"],
        ["scontrol", "update", "NodeName=node-8", "State=DRAIN"],
    ]
    assert all(len(w) == 5 and w[4].startswith("Reason=gdb-epi: hardware suspect") for w in words)
    assert "since 2025-11-08 until" in words[0][4]
    made = json.loads(exclude(db, capsys, "--format", "json"))
    assert made["hosts"] == [] and made["drained"] == ["node-7", "node-8"]
    main(["fleet", "states", "--db", db, "node-7"])
    assert "ann: drained: hardware suspect" in capsys.readouterr().out
    # Repaired, it is a host like any other until it fails again.
    main(["fleet", "mark", "host", "node-7", "--repaired", "--db", db])
    capsys.readouterr()
    made = json.loads(exclude(db, capsys, "--format", "json"))
    assert made["hosts"] == [] and made["drained"] == ["node-8"]
    assert made["fleet"] == 401, "before and after its repair it is one host"


def test_what_a_person_decided_goes_before_the_numbers(db, capsys):
    main(["fleet", "screen", "--db", db])
    capsys.readouterr()
    main(["fleet", "findings", "--json", "--db", db])
    ids = {f["value"]: str(f["id"]) for f in json.loads(capsys.readouterr().out)}
    main(["fleet", "dismiss", ids["node-7"], "--db", db])
    main(["fleet", "confirm", ids["node-9"], "--db", db])
    main(["fleet", "mark", "host", "node-130", "--suspect", "--note", "ECC", "--db", db])
    capsys.readouterr()
    made = json.loads(exclude(db, capsys, "--format", "json"))
    assert {h["host"] for h in made["hosts"]} == {"node-8", "node-9", "node-130"}
    assert {"host": "node-7", "why": "a person dismissed the finding"} in made["left_in"]
    # One that is out is in one list alone.
    main(["fleet", "mark", "host", "node-7", "--drained", "--db", db])
    capsys.readouterr()
    made = json.loads(exclude(db, capsys, "--format", "json"))
    assert made["drained"] == ["node-7"]
    assert "node-7" not in [row["host"] for row in made["left_in"]]


def test_no_name_runs_in_a_shell(db, capsys):
    """The names that reach a command are names of DNS; each line of a dry run is a comment."""
    flip = {"bitflip": True, "lock_inherited": False}
    many = [
        crash(20_000 + 100 * k + n, name, n % 10, flags=flip)
        for k, name in enumerate(EVIL)
        for n in range(40)
    ]
    with open_database(db, write=True) as engine:
        ingest(engine, [("t", record) for record in many])
    for name in filter(None, EVIL):
        main(["fleet", "mark", "host", name, "--suspect", "--db", db])
    capsys.readouterr()
    words = ("--at-most", "50%", "--fleet-size", "400")
    script = "scontrol() { :; }; kubectl() { :; }; reboot() { echo RAN; }; id() { echo RAN; }\n"
    for form in ("slurm", "kubernetes"):
        out = exclude(db, capsys, "--format", form, *words)
        assert all(line.startswith("# ") for line in out.splitlines())
        assert out.count("refused: ") >= 8
        out = exclude(db, capsys, "--format", form, *words, "--apply")
        commands = "".join(line for line in out.splitlines() if not line.startswith("#"))
        assert not any(name in commands for name in EVIL if name not in ("", "."))
        done = subprocess.run(["sh"], input=script + out, text=True, capture_output=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_no_reason_runs_in_a_shell():
    host = HostToDrain("n", '\'; reboot; $(id) `id` "x" \n\\', (), 1, 2, 3)
    made = DrainPlan((host,), (), (), (), (), (), 1, "", 1)
    for line in (*slurm_lines(made), *kubernetes_lines(made)):
        assert "\n" not in line and not set("'\"`$\\").intersection(shlex.split(line)[-1])


@pytest.mark.parametrize("share", ["3", "-1%", "many", "nan", "101%"])
def test_a_share_that_is_none_is_refused(share):
    assert main(["fleet", "exclude", "--db", "none", "--at-most", share]) == 2
