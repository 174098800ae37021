# SPDX-License-Identifier: Apache-2.0
"""What is new is told once to each address, by HTTP on loopback; what is lost is sent again."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from unit.fleet_records import minimal

from gdb_epi.cli.main import main
from gdb_epi.errors import InputError
from gdb_epi.fleet.decisions import send_news
from gdb_epi.fleet.decisions.decision_lines import host_decision_lines
from gdb_epi.fleet.decisions.finding_states import stored_findings
from gdb_epi.fleet.decisions.record_decision import DecisionToRecord, record_decision
from gdb_epi.fleet.decisions.states import read_decision_states
from gdb_epi.fleet.report.build_page import ReportScope, build_page
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.exposure import HostDay, read_host_days, store_exposure
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor
from gdb_epi.render.signature_words import hash_signature_line

DAY = 86_400
FIRST = 20_400  # days since 1970-01-01
EVIL = "<!channel>*node*"  # what a host may call itself
SECRET = "T0PSECRET"


class Receiver:
    """A server on loopback that keeps what it is sent, and answers as it is told to."""

    def __init__(self):
        self.bodies, self.paths, self.headers, self.answers = [], [], [], []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                size = int(self.headers["Content-Length"])
                receiver.bodies.append(json.loads(self.rfile.read(size)))
                receiver.paths.append(self.path)
                receiver.headers.append(dict(self.headers))
                code = receiver.answers.pop(0) if receiver.answers else 200
                self.send_response(code)
                if code == 302:
                    self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            do_GET = do_POST

            def log_message(self, *words):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook/{SECRET}?token={SECRET}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def receiver(monkeypatch):
    monkeypatch.setattr(send_news, "RETRY_PAUSES", (0.01, 0.02))
    running = Receiver()
    yield running
    running.server.shutdown()
    running.server.server_close()


def crash(number, host, day, version="2.2", **more):
    """A record of a host and a day."""
    attributes = {"version": version}
    return minimal(
        number,
        host={"hostname": host, "attributes": attributes},
        time={"crash_ts": (FIRST + day) * DAY + number * 7919 % DAY},  # spread over the day
        **more,
    )


def put(db, *records):
    with open_database(db, write=True) as engine:
        ingest(engine, [("t", record) for record in records])


@pytest.fixture
def db(tmp_path):
    """60 hosts for 30 days, one of which dies of all kinds of crashes, 130 times."""
    path, hours = str(tmp_path / "f.sqlite3"), tmp_path / "hours.csv"
    hosts = [*(f"node-{h}" for h in range(60)), EVIL]
    rows = [f"{FIRST + d},24,{host}" for d in range(30) for host in hosts]
    hours.write_text("day,hours,host\n" + "\n".join(rows) + "\n")
    with open_database(path, write=True) as engine:
        store_exposure(engine, read_host_days(hours))
    put(path, *(crash(n, "node-7", n % 5) for n in range(130)))
    put(path, *(crash(1000 + n, f"node-{n}", n % 10) for n in range(10, 50)))
    return path


def screen(db, *words):
    return main(["fleet", "screen", "--db", db, *words])


def test_what_is_new_is_sent_once_to_each_address(db, receiver, capsys):
    assert screen(db, "--notify", receiver.url, "--exit-code") == 5
    out = capsys.readouterr().out
    assert "1 notice sent to http://127.0.0.1:" in out and SECRET not in out
    (body,) = receiver.bodies
    assert body["schema"] == "gdb-epi/notice/1"
    (item,) = body["news"]
    assert (item["kind"], item["host"], item["crashes"]) == ("finding", "node-7", 130)
    assert len(item["cores"]) == 100 and "node-7" in item["title"]
    assert receiver.paths == [f"/hook/{SECRET}?token={SECRET}"]
    assert screen(db, "--notify", receiver.url, "--exit-code") == 0
    assert len(receiver.bodies) == 1
    other = receiver.url.replace("/hook/", "/other/")
    assert screen(db, "--notify", other) == 0
    assert [len(body["news"]) for body in receiver.bodies] == [1, 1]
    with open(db, "rb") as file:
        assert SECRET.encode() not in file.read()


def test_what_is_lost_is_tried_again_and_then_sent_with_the_next_screening(db, receiver, capsys):
    receiver.answers = [503, 500, 200]
    assert screen(db, "--notify", receiver.url) == 0 and len(receiver.bodies) == 3
    put(db, *(crash(5000 + n, "node-8", 11) for n in range(40)))
    receiver.answers = [503, 503, 503]
    assert screen(db, "--notify", receiver.url) == 1
    error = capsys.readouterr().err
    assert "1 notice could not be delivered to http://127.0.0.1:" in error
    assert "HTTP 503" in error and SECRET not in error and error.count("\n") == 1
    capsys.readouterr()
    assert screen(db, "--notify", receiver.url, "--exit-code") == 5, "new to who was not told"
    assert "\n2 earlier findings still open: gdb-epi fleet findings" in capsys.readouterr().out
    assert screen(db, "--notify", receiver.url, "--exit-code") == 0, "it is not new any more"
    assert receiver.bodies[-1]["news"][0]["host"] == "node-8" and len(receiver.bodies) == 7
    # Refused for good, led elsewhere, nobody there: no second try, one line, no secret.
    for answers in ([404], [302], None):
        receiver.answers = list(answers or [])
        if answers is None:
            receiver.server.shutdown()
            receiver.server.server_close()
        before = len(receiver.bodies)
        assert screen(db, "--notify", receiver.url + "&x=1") == 1
        error = capsys.readouterr().err
        assert SECRET not in error and error.count("\n") == 1
        assert len(receiver.bodies) == before + (answers is not None)


def test_the_shapes_of_slack_and_pagerduty(db, receiver, monkeypatch, capsys, tmp_path):
    put(db, *(crash(7000 + n, EVIL, 12) for n in range(60)))
    assert screen(db, "--notify", receiver.url, "--notify-format", "slack") == 0
    (message,) = receiver.bodies
    texts = json.dumps(message)
    assert "node-7" in texts and "<!channel>" not in texts and "&lt;!channel&gt;" in texts
    assert all(len(block["text"]["text"]) <= 3000 for block in message["blocks"])
    assert EVIL.replace("<", "&lt;").replace(">", "&gt;") in texts, "what is copied is the name"
    assert all(block["text"]["text"].count("`") == 6 for block in message["blocks"])
    place = receiver.url + "&pagerduty"
    words = ("--notify", place, "--notify-format", "pagerduty")
    assert screen(db, *words) == 2
    key = tmp_path / "key"
    key.write_text("R0UTINGKEY\n")
    assert screen(db, *words, "--notify-key-file", str(key)) == 0
    events = receiver.bodies[1:]
    assert {event["routing_key"] for event in events} == {"R0UTINGKEY"}
    assert {event["event_action"] for event in events} == {"trigger"}
    assert len({event["dedup_key"] for event in events}) == len(events) == 2
    assert {"node-7", EVIL} == {event["payload"]["source"] for event in events}
    assert "R0UTINGKEY" not in capsys.readouterr().out


def test_many_are_told_as_one_digest_of_the_rest():
    from gdb_epi.fleet.decisions.news import FINDING, NewsItem

    items = [NewsItem(f"s{n}", FINDING, f"t{n}", (), None, n, (), {}) for n in range(50)]
    events = list(send_news.requests_for_news("pagerduty", items, "k"))
    assert len(events) == send_news.MAX_EVENTS and len(events[-1].items) == 31
    assert "31 more notices" in events[-1].body["payload"]["summary"]
    assert sum(len(event.items) for event in events) == 50
    (message,) = send_news.requests_for_news("slack", items, None)
    assert len(message.body["blocks"]) == send_news.MAX_SLACK_ITEMS + 1


@pytest.mark.parametrize(
    "address",
    ["ftp://h/x", "http://", "file:///etc/passwd", "http://h:99999/", "http://h/a b", "T0PSECRET"],
)
def test_an_address_that_is_none_is_refused_and_not_repeated(db, capsys, address):
    assert screen(db, "--notify", address) == 2
    assert SECRET not in capsys.readouterr().err


def test_a_fixed_signature_that_crashes_again_is_told(db, receiver, capsys):
    key = f"{3:016x}"
    with open_database(db, write=True) as engine:
        record_decision(
            engine, DecisionToRecord("signature", key, "ann", fixed_in="2.3", owner="ann"), 1.9e9
        )
    screen(db)
    capsys.readouterr()
    assert screen(db, "--exit-code") == 0
    put(db, crash(70_003, "node-50", 13, version="2.4"))
    assert screen(db, "--notify", receiver.url, "--exit-code") == 5
    out = capsys.readouterr().out
    assert f"regressed: {key}: fixed in 2.3, but 1 crash on 2.4: regressed" in out
    news = {item["kind"]: item for item in receiver.bodies[0]["news"]}
    assert news["regression"]["cores"] == [f"{70_003:032x}"]
    assert "ann" in news["regression"]["lines"][1]
    assert screen(db, "--notify", receiver.url, "--exit-code") == 0
    assert len(receiver.bodies) == 1
    assert main(["fleet", "states", "--db", db, key]) == 0
    assert "gdb-epi fleet screen: regressed version 2.4" in capsys.readouterr().out


def test_a_repaired_host_that_fails_again_is_raised(db, receiver, capsys):
    assert "node-7" in (screen(db), capsys.readouterr().out)[1]
    with open_database(db, write=True) as engine:
        record_decision(
            engine, DecisionToRecord("host", "node-7", "ann", "repaired"), (FIRST + 14) * DAY
        )
        assert [f.state for f in stored_findings(engine)] == ["repaired"]
    assert screen(db, "--exit-code") == 0
    assert main(["fleet", "suspects", "--db", db]) == 0
    assert "host=node-7" not in capsys.readouterr().out, "its past is not held against it"
    # One crash of the usual kind is no news; one with damaged memory is.
    put(db, crash(80_000, "node-7", 16))
    assert screen(db, "--exit-code") == 0
    put(db, crash(80_001, "node-7", 16, flags={"bitflip": True, "lock_inherited": False}))
    assert screen(db, "--exit-code", "--notify", receiver.url) == 5
    assert "node-7 was repaired and fails again: 1 of its 2 crashes" in capsys.readouterr().out
    assert [item["kind"] for item in receiver.bodies[0]["news"]] == ["host-again"]
    assert screen(db, "--exit-code", "--notify", receiver.url) == 0
    put(db, *(crash(81_000 + n, "node-7", 17 + n % 3) for n in range(20)))
    assert screen(db, "--exit-code", "--notify", receiver.url) == 5
    with open_database(db, write=False) as engine:
        (finding,) = stored_findings(engine)
    assert (finding.state, finding.raised, finding.n) == ("open", 2, 22)
    capsys.readouterr()
    main(["fleet", "findings", "--db", db])
    assert "raised again after its host was repaired" in capsys.readouterr().out


def test_a_host_that_was_renamed_after_its_repair_is_one_host(db, receiver, capsys):
    assert "node-7" in (screen(db), capsys.readouterr().out)[1]

    def named(number, host, day, **more):
        record = crash(number, host, day, **more)
        return {**record, "host": {**record["host"], "machine_id": "m7"}}

    put(db, named(79_000, "node-7", 9))
    with open_database(db, write=True) as engine:
        repaired = DecisionToRecord("host", "node-7", "ann", "repaired")
        record_decision(engine, repaired, (FIRST + 14) * DAY)
    put(db, named(79_001, "rack3-07", 16))
    assert screen(db, "--exit-code") == 0, "its past is not held against its new name"
    flags = {"bitflip": True, "lock_inherited": False}
    put(db, named(79_002, "rack3-07", 16, flags=flags))
    capsys.readouterr()
    assert screen(db, "--exit-code") == 5
    assert "rack3-07 was repaired and fails again: 1 of its 2 crashes" in capsys.readouterr().out
    main(["fleet", "exclude", "--db", db])
    assert "left in: rack3-07: a suspect: host rack3-07 was repaired" in capsys.readouterr().out
    main(["fleet", "show", "rack3-07", "--db", db])
    assert "host node-7 is a suspect" in capsys.readouterr().out


def test_a_host_is_marked_by_any_of_its_spellings(db, receiver, capsys):
    """The feed has a domain and capitals, people say either; the past is that of one host."""
    with open_database(db, write=True) as engine:
        rows = [("feed", HostDay(FIRST + 15, "NODE-7.a.example", 24.0, {}))]
        store_exposure(engine, iter(rows))
    assert screen(db) == 0
    with open_database(db, write=True) as engine:
        for name in ("NODE-7.a.example", "Node-7.A.example."):
            record_decision(
                engine, DecisionToRecord("host", name, "ann", "repaired"), (FIRST + 14) * DAY
            )
        assert [f.state for f in stored_findings(engine)] == ["repaired"]
        with pytest.raises(InputError):  # no host, though it begins alike
            record_decision(
                engine, DecisionToRecord("host", "node-7.b.example", "ann", "repaired"), FIRST * DAY
            )
    with open_database(db, write=False) as engine, engine.connect() as connection:
        execute = sqlalchemy_executor(connection)
        (state,) = (s for s in read_decision_states(execute, (FIRST + 15) * DAY) if s.crashes)
        assert (state.current.subject.name, state.crashes) == ("NODE-7.a.example", 130)
        assert "is repaired" in " ".join(host_decision_lines(execute, "node-7"))
        assert (
            host_decision_lines(execute, "node-7.b.example")
            == host_decision_lines(execute, "node-8")
            == []
        )
    capsys.readouterr()
    assert main(["fleet", "suspects", "--db", db]) == 0
    assert "host=node-7" not in capsys.readouterr().out.casefold()
    assert main(["fleet", "exclude", "--db", db, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["hosts"] == []
    put(db, crash(80_001, "node-7", 16, flags={"bitflip": True, "lock_inherited": False}))
    assert screen(db, "--exit-code") == 5
    assert "node-7 was repaired and fails again: 1 of its 1 crash" in capsys.readouterr().out
    assert screen(db, "--exit-code") == 0, "told once"
    put(db, *(crash(81_000 + n, "node-7", 17 + n % 3) for n in range(20)))
    assert screen(db, "--exit-code") == 5
    main(["fleet", "findings", "--db", db])
    assert "raised again after its host was repaired" in capsys.readouterr().out


def test_an_ignored_signature_is_silent(db, capsys):
    more = [crash(70_003 + 7 * n, f"node-{n % 50}", 13, version="9") for n in range(50)]
    put(db, *more)
    key = f"{70_003 % 7:016x}"
    with open_database(db, write=True) as engine:
        record_decision(
            engine, DecisionToRecord("signature", key, "ann", ignore_until="2035-01-01"), 1.9e9
        )
    about = lambda: [f.signature for f in _stored(db) if f"f{70_003 % 7} " in f.signature]  # noqa: E731
    screen(db)
    assert about() == []
    with open_database(db, write=True) as engine:
        record_decision(engine, DecisionToRecord("signature", key, "ann", "acknowledged"), 1.9e9)
    assert screen(db, "--exit-code") == 5
    assert len(about()) == 1
    # The questions say what was decided.
    (number,) = (f.id for f in _stored(db) if f.value == "node-7")
    assert main(["fleet", "dismiss", str(number), "--db", db]) == 0
    capsys.readouterr()
    assert main(["fleet", "suspects", "--db", db]) == 0
    first, second = capsys.readouterr().out.splitlines()[:2]
    assert first == f"dismissed before: host=node-7 (finding {number})"
    assert second.startswith(f"{key}: acknowledged; marked by ann on 2030-03-17")
    words = ["fleet", "digest", "--db", db, "--days", "1600", "--asof"]
    assert main([*words, "2025-12-17"]) == 0
    told = capsys.readouterr().out
    assert "acknowledged" not in told and "Decided after these days, and left out: 1;" in told
    assert main([*words, "2030-03-18"]) == 0
    assert " (acknowledged): " in capsys.readouterr().out


def test_all_questions_call_a_crash_by_its_cause(db, capsys):
    """`fleet top` and triage said "use after free", suspects and the digest "NULL pointer"."""
    verdict = {"label": "software", "cause": [{"hypothesis": "use-after-free", "probability": 0.9}]}
    line = "gsig/2 stable segv-null f9 <-- py:g"
    key = hash_signature_line(line)
    signature = {"version": "gsig/2", "category": "segv-null", "keys": {"stable": key},
                 "text": {"stable": line}, "group": {"key": "stable", "value": key}}  # fmt: skip
    more = {"verdict": verdict, "signature": signature, "version": "9"}
    put(db, *(crash(70_000 + n, f"node-{n % 50}", 13, **more) for n in range(50)))
    named = f'"NULL pointer in f9: use after free, in g" (key {key})'
    assert main(["fleet", "mark", "signature", key, "--acknowledged", "--db", db]) == 0
    asked = ["split", key], ["onset", key], ["correlate", key], ["states"], ["show", "node-3"]
    for words in (["suspects"], ["screen"], ["findings"], ["rates", "version=9"], *asked):
        assert main(["fleet", *words, "--db", db]) == 0
        shown = capsys.readouterr().out
        assert named in shown and '"NULL pointer in f9, in g"' not in shown, shown
    assert main(["fleet", "digest", "--db", db, "--asof", "2025-11-21", "--days", "30"]) == 0
    shown = capsys.readouterr().out
    assert named in shown and "NULL pointer in f9: use after free, in g: 50 crashes" in shown, shown
    assert main(["fleet", "compare", "2025-10", "2025-11", "--db", db]) == 0
    assert "NULL pointer in f9: use after free" in capsys.readouterr().out
    with open_database(db, write=False) as engine:
        page = build_page(engine, ReportScope())
    (row,) = (row for row in page.signatures if row.key == key)
    assert page.names[row.words] == "NULL pointer in f9: use after free, in g"


def _stored(db):
    with open_database(db, write=False) as engine:
        return stored_findings(engine)


def test_a_digest_of_what_was_never_screened_is_no_all_clear(db, capsys):
    words = ["fleet", "digest", "--db", db, "--asof", "2025-11-17", "--days", "30"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "2025-11-17: no screening has run, 0 regressed" in out and "new finding" not in out
    assert "is not known" in out and f"\nTo screen them: gdb-epi fleet screen --db {db}\n" in out
    assert screen(db) == 0 and main(words) == 0
    out = capsys.readouterr().out
    assert "2025-11-17: 1 new finding" in out and "To screen them" not in out
    put(db, *(crash(9000 + n, "node-3", 9) for n in range(3)))
    assert main(words) == 0
    assert "\n3 crashes came since the last screening (" in capsys.readouterr().out
    # A screening of an earlier day has not seen what came after that day.
    assert screen(db, "--asof", "2025-11-16") == 0
    capsys.readouterr()
    assert main(words) == 0
    assert "\n7 crashes came since the last screening (" in capsys.readouterr().out


def test_the_digest(db, receiver, capsys):
    screen(db)
    capsys.readouterr()
    words = ["fleet", "digest", "--db", db, "--asof", "2025-11-17", "--days", "30"]
    assert main([*words, "--notify", receiver.url]) == 0
    out = capsys.readouterr().out
    assert out.startswith("2025-10-19 to 2025-11-17: 1 new finding, 0 regressed")
    assert "node-7" in out and "  NULL pointer, in f1: 24 crashes (" in out
    assert "\n  finding 1: " in out and f"gdb-epi fleet confirm 1 --db {db}, or" in out
    assert f"More about a signature: gdb-epi fleet show KEY --db {db}\n" in out
    assert receiver.bodies[0]["news"][0]["kind"] == "digest"
    # What was raised after that day is not in its digest.
    assert main(["fleet", "digest", "--db", db, "--asof", "2025-11-10", "--days", "30"]) == 0
    assert "0 new findings" in capsys.readouterr().out


@pytest.mark.parametrize("stopped, told", [(1, True), (15, False)])
def test_the_digest_names_a_host_that_stopped_and_how_many_crashes_there_were(
    tmp_path, capsys, stopped, told
):
    db = str(tmp_path / "fleet.sqlite3")
    put(db, *(crash(n, f"node-{n % 50}", n // 4) for n in range(120)))
    hours = (
        ("feed", HostDay(FIRST + day, f"node-{host}", 24.0, {}))
        for day in range(30)
        for host in range(50)
        if host < 50 - stopped or day < 26
    )
    with open_database(db, write=True) as engine:
        store_exposure(engine, hours)
    assert main(["fleet", "digest", "--db", db, "--asof", "2025-12-07"]) == 0
    out = capsys.readouterr().out
    assert "; 28 crashes (28 in the 7 days before)\n" in out, out
    assert ("Silent:\n  node-49 has no host-hours and no crash since 2025-12-" in out) == told, out
