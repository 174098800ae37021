# SPDX-License-Identifier: Apache-2.0
"""The life of a bug and of a host: what was decided, what came after it, and who is told."""

from __future__ import annotations

import json
import os
from math import inf

import pytest
from unit.fleet_records import full, minimal

from gdb_epi.cli.main import main
from gdb_epi.errors import UsageError
from gdb_epi.fleet.decisions.current_state import (
    HOST,
    REGRESSED,
    SIGNATURE,
    DecisionSubject,
    StoredDecision,
    insert_decision,
    read_current_state,
)
from gdb_epi.fleet.decisions.decision_lines import decision_lines_of_record
from gdb_epi.fleet.decisions.fix_assessment import (
    assess_fix,
    compare_versions,
    cores_crashed_after_fix,
    describe_fix,
)
from gdb_epi.fleet.decisions.news import make_digest, unsent_news
from gdb_epi.fleet.decisions.record_decision import DecisionToRecord, record_decision
from gdb_epi.fleet.decisions.states import day_before_repair_by_host, read_decision_states
from gdb_epi.fleet.earlier_crashes import _default_database_path, read_earlier_crashes
from gdb_epi.fleet.paths import default_database
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

KEY = f"{3:016x}"  # the signature of every seventh record, from the third on
NOW = 1_765_000_000.0


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        ("2.4", "2.3", 1), ("2.10", "2.9", 1), ("2.3", "2.3.0", 0), ("2.3rc1", "2.3", -1),
        ("v2.3", "2.4", -1), ("1!1.0", "2.0", 1), ("1.0.0-rc.1", "1.0.0", -1),
        ("1.2.3-SNAPSHOT", "1.2.3", -1), ("1.0.0-alpha.beta", "1.0.0-alpha.2", 1),
        ("app:2.3", "app:2.10", -1), ("reg:5000/app:2.3", "reg:5000/app:2.3", 0),
        ("20261103", "20261104", -1),
        # for PEP 440 a later build, for semver a pre-release
        ("1.2.3-1", "1.2.3", None),
        # of neither, or of one scheme on each side
        ("6.1.0-13-amd64", "6.1.0-9-amd64", None), ("img7", "img10", None),
        ("a:1.0", "b:1.1", None), ("deadbee1", "2.3", None), ("8a12345", "2.3", None),
        ("1234567", "2.3", None),
        ("", "1", None), ("1" * 200, "2", None), ("2.3.0-1ubuntu1", "2.3.0", None),
    ],
)  # fmt: skip
def test_versions_are_compared_or_said_to_be_beyond_comparison(first, second, answer):
    assert compare_versions(first, second) == answer
    assert compare_versions(second, first) == (None if answer is None else -answer)


def on(number, version, **more):
    """A record whose host says which version of the program it ran."""
    host = {"hostname": f"node-{number % 5}", "attributes": {"version": version}}
    return minimal(number, host=host, **more)


@pytest.fixture
def fleet(tmp_path):
    """A function that stores records and gives what asks the database."""
    path = str(tmp_path / "f.sqlite3")

    class Fleet:
        db = path

        def put(self, *records):
            with open_database(path, write=True) as engine:
                ingest(engine, [("t", record) for record in records])

        def say(self, about, name, now=NOW, **words):
            with open_database(path, write=True) as engine:
                return record_decision(
                    engine, DecisionToRecord(about, name, "ann", **words), now
                ).lines

        def ask(self, question, *given):
            with open_database(path, write=False) as engine, engine.connect() as connection:
                return question(sqlalchemy_executor(connection), *given)

        def fix(self):
            held = self.ask(read_current_state, DecisionSubject(SIGNATURE, "stable", KEY), NOW)
            return self.ask(assess_fix, held)

    return Fleet()


def test_a_crash_on_the_fixed_version_or_later_raises_it_again(fleet):
    fleet.put(*(on(3 + 7 * i, "2.2") for i in range(4)))
    lines = fleet.say("signature", KEY, fixed_in="2.3", owner="bob", ticket="BUG-7")
    assert lines[1] == "fixed in 2.3; marked by ann on 2025-12-06; owner bob; BUG-7"
    assert not fleet.fix().is_regressed
    after = {"time": {"crash_ts": NOW + 100}}
    fleet.put(on(3 + 7 * 10, "2.2.9", **after))
    fix = fleet.fix()
    assert (fix.is_regressed, fix.older, fix.unknown) == (False, 1, 0)
    fleet.put(on(3 + 7 * 11, "2.10", **after), on(3 + 7 * 12, "img7", **after))
    fix = fleet.fix()
    assert (fix.crashes_again, fix.again[0].version, fix.unknown) == (1, "2.10", 1)
    before = NOW - 3 * 86_400  # what was not known then
    states = [fleet.ask(read_decision_states, *then)[0] for then in ((NOW, NOW + 1), (NOW, inf))]
    assert [(s.state, s.crashes) for s in states] == [("fixed", 4), ("regressed", 7)]
    assert fleet.ask(read_decision_states, before, before) == [], "nothing was decided by then"
    (state,) = fleet.ask(read_decision_states, NOW)
    assert state.state == "regressed" and state.as_json()["fix"]["words"].endswith("regressed")
    assert fleet.ask(cores_crashed_after_fix, DecisionSubject(SIGNATURE, "stable", KEY), fix) == [
        f"{80:032x}"
    ]
    # A later fix is a new decision.
    fleet.say("signature", KEY, fixed_in="2.11")
    assert not fleet.fix().is_regressed
    (state,) = fleet.ask(read_decision_states, NOW)
    assert [mark.state for mark in state.current.history] == ["fixed", "fixed"]
    assert state.current.owner == "bob", "an owner stays until there is another one"


def test_a_version_that_one_name_alone_has_needs_no_name(fleet):
    image = {"container": {"image": "registry/loader:3.8"}}
    fleet.put(minimal(3, **image), minimal(10, container={"image": "registry/loader:3.7"}))
    lines = fleet.say("signature", KEY, fixed_in="3.8")
    assert lines[1].startswith("fixed in loader 3.8, but 1 crash on 3.8: regressed"), lines
    with pytest.raises(UsageError):  # nobody has it: whose it is cannot be told
        fleet.say("signature", KEY, fixed_in="3.9")


def test_a_repair_says_what_counts_no_more(fleet):
    times = [NOW - 5 * 86_400, NOW - 4 * 86_400, NOW - 86_400]
    host = {"hostname": "node-3"}
    fleet.put(*(minimal(i, host=host, time={"crash_ts": ts}) for i, ts in enumerate(times)))
    lines = fleet.say("host", "node-3", state="repaired", on="2025-12-03")
    assert lines[-1] == "2 crashes until then count against it no more; 1 since then"


def test_what_the_record_at_hand_says_of_a_fix(fleet):
    fleet.put(on(3, "2.2"))
    fleet.say("signature", KEY, fixed_in="2.3", owner="bob")
    say = lambda version: fleet.ask(decision_lines_of_record, "stable", KEY, on(3, version))  # noqa: E731
    assert say("2.4") == [
        "fixed in 2.3, this is 2.4: regressed; marked by ann on 2025-12-06; owner bob"
    ]
    assert "this is 2.2;" in say("2.2")[0] and "regressed" not in say("2.2")[0]
    assert "cannot compare" in say("img7")[0]
    assert read_earlier_crashes(fleet.db, on(3, "2.4")).decided == tuple(say("2.4"))
    assert read_earlier_crashes(fleet.db + "-none", on(3, "2.4")).decided == ()


def test_a_version_may_be_that_of_an_imported_package(fleet):
    def imported(number, version):
        python = {"version": "3.12.1", "packages": [{"name": "torch", "version": version}]}
        return full(number, python=python)

    fleet.put(imported(3, "2.1.0"), imported(10, "2.2.0"))
    lines = fleet.say("signature", KEY, fixed_in="2.2.0", version_of="torch")
    assert lines[1].startswith("fixed in torch 2.2.0, but 1 crash on 2.2.0: regressed; ")
    with pytest.raises(UsageError, match="no record of it has a version of version") as refused:
        fleet.say("signature", KEY, fixed_in="9")
    assert "--of NAME, one of python, torch; or " in refused.value.hint
    assert "gdb-epi host-facts --set version=X -o host.json" in refused.value.hint
    assert "cannot be compared" in fleet.say("signature", KEY, fixed_in="x", version_of="torch")[-1]
    fix = fleet.fix()
    assert fix.blind and "; but: x cannot be compared with" in describe_fix(fix)


def test_ignored_ends_by_itself(fleet):
    fleet.put(minimal(3))
    fleet.say("signature", KEY, state="acknowledged", note="seen it")
    fleet.say("signature", KEY, ignore_until="2025-12-08")
    subject = DecisionSubject(SIGNATURE, "stable", KEY)
    assert fleet.ask(read_current_state, subject, NOW).state == "ignored"
    last = 1_765_238_399.0  # 2025-12-08 23:59:59
    assert fleet.ask(read_current_state, subject, last).state == "ignored"
    held = fleet.ask(read_current_state, subject, last + 1)
    assert (held.state, held.note) == ("acknowledged", "seen it")


def test_a_host_is_drained_repaired_and_back(fleet):
    fleet.put(minimal(3))
    lines = fleet.say("host", "node-3", state="drained", ticket="HW-1")
    assert lines == ["host node-3 is drained; marked by ann on 2025-12-06; HW-1"]
    assert fleet.ask(day_before_repair_by_host, NOW) == {}
    fleet.say("host", "node-3", state="repaired", now=NOW + 86_400)
    fleet.say("host", "node-3", state="back", now=NOW + 3 * 86_400)
    assert fleet.ask(day_before_repair_by_host, NOW, NOW + 1) == {}
    assert fleet.ask(day_before_repair_by_host, NOW) == {"node-3": int(NOW // 86_400) + 1}
    held = fleet.ask(read_current_state, DecisionSubject(HOST, "", "node-3"))
    assert held.state == "back" and [m.state for m in held.history] == [
        "drained", "repaired", "back",
    ]  # fmt: skip


def test_a_note_is_no_new_decision(fleet):
    fleet.put(minimal(3))
    fleet.say("host", "node-3", state="repaired")
    lines = fleet.say("host", "node-3", note="DIMM 3", owner="bob", now=NOW + 9 * 86_400)
    assert lines == [
        "host node-3 is repaired; marked by ann on 2025-12-06; owner bob",
        "note: DIMM 3",
    ]
    assert fleet.ask(day_before_repair_by_host, NOW) == {"node-3": int(NOW // 86_400)}
    held = fleet.ask(read_current_state, DecisionSubject(HOST, "", "node-3"))
    assert [m.state for m in held.history] == ["repaired", "noted"]
    fleet.say("signature", KEY, state="fixed", fixed_in="2.3", version_of="rack")
    fleet.say("signature", KEY, ignore_until="2025-12-08", note="loud")
    fleet.say("signature", KEY, ticket="BUG-7")
    held = fleet.ask(read_current_state, DecisionSubject(SIGNATURE, "stable", KEY), NOW)
    assert (held.state, held.mark.until, held.note) == ("ignored", 1_765_238_400.0, "loud")
    held = fleet.ask(read_current_state, DecisionSubject(SIGNATURE, "stable", KEY), held.mark.until)
    assert (held.state, held.mark.version, held.ticket) == ("fixed", "2.3", "BUG-7")


def test_the_verbs(fleet, capsys):
    fleet.put(on(3, "2.2"), on(4, "2.2"))
    mark = ["fleet", "mark", "--db", fleet.db]
    assert main([*mark, "signature", KEY[:15], "--fixed-in", "2.2", "--by", "ann"]) == 3
    capsys.readouterr()
    assert main([*mark, "signature", KEY, "--fixed-in", "2.2", "--by", "ann"]) == 0
    assert "1 crash on 2.2: regressed" in capsys.readouterr().out
    assert main([*mark, "host", "node-3", "--drained", "--note", "DIMM 3"]) == 0
    capsys.readouterr()
    assert main(["fleet", "states", "--db", fleet.db, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["about"], row["state"]) for row in rows] == [
        ("signature", "regressed"), ("host", "drained"),
    ]  # fmt: skip
    assert rows[0]["history"][0]["who"] == "ann" and rows[1]["note"] == "DIMM 3"
    assert main(["fleet", "states", "--db", fleet.db, KEY]) == 0
    assert "ann: fixed version 2.2" in capsys.readouterr().out
    assert main(["fleet", "seen", "--db", fleet.db, KEY]) == 0
    assert "regressed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["signature", KEY], 2),
        (["signature", KEY, "--drained"], 2),
        (["host", "node-3", "--acknowledged"], 2),
        (["host", "node-3", "--fixed-in", "2"], 2),
        (["signature", KEY, "--ignore-until", "soon"], 2),
        (["signature", KEY, "--acknowledged", "--of", "torch"], 2),
        (["signature", "nothing-like-it", "--acknowledged"], 3),
        (["host", "nobody", "--drained"], 3),
    ],
)
def test_decisions_that_make_no_sense_are_refused(fleet, capsys, words, code):
    fleet.put(minimal(3))
    assert main(["fleet", "mark", "--db", fleet.db, *words]) == code
    assert capsys.readouterr().err.count("\n") == 1
    assert fleet.ask(read_decision_states, NOW) == []


def test_triage_asks_the_database_that_it_would_write_to(monkeypatch, tmp_path):
    for base in ("", str(tmp_path), "relative"):
        monkeypatch.setenv("XDG_DATA_HOME", base)
        assert _default_database_path() == os.fspath(default_database())


def test_a_regression_without_a_fix_is_told_in_a_digest(fleet):
    """An archive may hold the word of a regression without that of the fix."""
    with open_database(fleet.db, write=True) as engine:
        with engine.begin() as connection:
            insert_decision(
                connection,
                StoredDecision(DecisionSubject(SIGNATURE, "stable", KEY), NOW, "ann", REGRESSED),
            )
        lines = make_digest(engine, 30, int(NOW // 86_400), NOW).lines
        assert f"  {KEY}: regressed" in lines
        assert unsent_news(engine, "http://127.0.0.1/") == []
