# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi serve` over real HTTP: pages, API, metrics, ingest with a token, and who is refused."""

from __future__ import annotations

import gzip
import json
import socket
from urllib.parse import urlencode

import pytest
from prometheus_client.parser import text_string_to_metric_families
from support.demo_fleet import make
from support.fleet_simulator import simulate
from support.html_check import Page
from support.http_server import serving

from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import crash_count
from gdb_epi.suggestions import install_command

TOKEN = "0123456789abcdef-token"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}
RECORDS = "/api/v1/records"


def record(number, **groups):
    """A minimal record."""
    return {"schema": "gdb-epi/record/1", "core_key": f"{number:032x}", **groups}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """A planted fleet and its database."""
    simulated = simulate(7003, hosts=120, days=14, per_day=25, bad_host=2.0, race=2.0)
    path = tmp_path_factory.mktemp("served") / "f.sqlite3"
    make(str(path), simulated)
    return simulated, path


@pytest.fixture(scope="module")
def server(fleet):
    """A read-only server of it."""
    with serving(fleet[1]) as running:
        yield running


@pytest.fixture(scope="module")
def taker(tmp_path_factory):
    """A server that takes records into an empty database, and that database."""
    folder = tmp_path_factory.mktemp("taken")
    (folder / "token").write_text(f"{TOKEN}\n")
    path = folder / "f.sqlite3"
    with serving(path, "--token-file", str(folder / "token")) as running:
        yield running, path


def test_pages(server, fleet):
    assert "read-only" in server.announced and "127.0.0.1" in server.announced
    answer = server.get("/")
    assert answer.status == 200 and answer.headers["content-type"].startswith("text/html")
    page = Page(answer.text)
    assert f"One host ({fleet[0].truth['bad_host']}), take it out and test it" in page.text
    core = next(link for link in page.links if link.startswith("/core/"))
    shown = server.get(core)
    assert shown.status == 200 and core.removeprefix("/core/") in Page(shown.text).text
    only = server.get("/signature/uv__stream_io_race")
    assert only.status == 200 and "uv__stream_io_race" in only.text
    for answer in (answer, shown, only):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.heavy
def test_a_lake_is_served_as_its_database(fleet, server, tmp_path, shell):
    """All but the example cores of the report, which are in whole records; and it takes nothing."""
    lake = tmp_path / "lake"
    words = ["--format", "lake", "--output", str(lake), "--db", str(fleet[1])]
    assert shell("fleet", "export", *words).code == 0
    key = server.get("/api/v1/signatures?limit=1").json[0]["key"]
    paths = ["/decisions", "/metrics", "/api/v1/findings", "/api/v1/states", "/api/v1/trend"]
    paths += ["/api/v1/new", f"/api/v1/signatures/{key}", "/api/v1/hosts/node-7"]
    with serving(f"lake:{lake}") as running:
        for path in paths:
            answer, usual = running.get(path), server.get(path)
            assert answer.status == usual.status == 200, path
            assert answer.body == usual.body, path
        assert running.get("/").status == 200
    refused = shell("serve", "--db", f"lake:{lake}", "--port", "0", env={"GDB_EPI_TOKEN": TOKEN})
    assert refused.code == 1 and f"lake:{lake} is read-only" in refused.err


def test_a_page_is_packed_for_who_takes_it(server):
    plain, packed = server.get("/"), server.get("/", Accept_Encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) * 4 < len(plain.body)


def test_the_api_answers_what_the_fleet_holds(server, fleet):
    crashes, bad = fleet[0].crashes, fleet[0].truth["bad_host"]
    rows = server.get("/api/v1/signatures?limit=1000").json
    assert sum(row["crashes"] for row in rows) == len(crashes)
    assert len(server.get("/api/v1/signatures?limit=2").json) == 2
    signature = server.get(f"/api/v1/signatures/{rows[0]['key']}").json
    assert (
        signature["crashes"] == rows[0]["crashes"] == sum(d["crashes"] for d in signature["curve"])
    )
    assert signature["verdict"]["kind"] in ("not-enough", "software", "two-causes", "one-host")
    host = server.get(f"/api/v1/hosts/{bad}").json
    assert host["crashes"] == sum(f"node-{c.host}" == bad for c in crashes)
    assert {"attr": "rack", "value": f"r{int(bad[5:]) // 20:03}"} in host["attributes"]
    core = server.get(f"/api/v1/cores/{host['examples'][0]}").json
    assert core["host"]["hostname"] == bad
    trend = server.get("/api/v1/trend").json
    assert sum(day["crashes"] for day in trend) == len(crashes) and trend[0]["hours"] > 0
    race = server.get("/api/v1/trend?signature=uv__stream_io_race").json
    assert sum(day["crashes"] for day in race) == sum(c.signature == "race" for c in crashes)
    verdicts = server.get("/api/v1/verdicts").json
    assert f"host={bad}" in {verdict["subject"] for verdict in verdicts}
    assert server.get("/api/v1/findings").json == [], "no screen was stored"
    assert all(row["crashes"] for row in server.get("/api/v1/new?days=3").json)
    assert server.get("/healthz").json == {"ok": True, "ingest": False}


def test_metrics_count_by_category_and_verdict_only(server, fleet):
    answer = server.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    families = {f.name: f for f in text_string_to_metric_families(answer.text)}
    samples = families["gdb_epi_crashes"].samples
    assert {tuple(s.labels) for s in samples} == {("category", "verdict")}
    assert sum(s.value for s in samples) == len(fleet[0].crashes)
    assert {s.labels["verdict"] for s in samples} <= {"software", "damaged-memory", "cannot-tell"}
    assert not any(fleet[0].truth["bad_host"] in s.labels.values() for s in samples)
    # What stands out has labels, though nobody ran `fleet screen` on this database.
    gauges = families["gdb_epi_finding_crashes"].samples
    assert {tuple(s.labels) for s in gauges} == {("finding", "host", "kind", "state")}
    bad = [s for s in gauges if s.labels["host"] == fleet[0].truth["bad_host"]]
    assert bad and bad[0].value >= 3 and bad[0].labels["state"] == "new"
    assert bad[0].labels["kind"] == "hardware-host"
    assert families["gdb_epi_findings_now"].samples[0].value == len(gauges) <= 100


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing", 404),
        ("/core/../../../../etc/passwd", 404),
        ("/core/..%2f..%2f..%2fetc%2fpasswd", 404),
        ("/%2e%2e/%2e%2e/etc/passwd", 404),
        ("//etc/passwd", 404),
        ("/signature/%00", 404),
        ("/signature/' OR 1=1 --".replace(" ", "%20"), 404),
        ("/api/v1/hosts/<script>", 404),
        (f"/api/v1/hosts/{'x' * 5000}", 404),
        ("/api/v1/signatures?limit=-1", 400),
        ("/api/v1/signatures?limit=999999999999", 400),
        ("/api/v1/new?days=nan", 400),
        ("/core/%", 404),
        ("/static/page.css", 404),
    ],
)
def test_addresses_that_are_none_do_no_harm(server, path, status):
    answer = server.get(path)
    assert answer.status == status and "root:" not in answer.text
    assert answer.headers["content-type"] == "application/json" and "error" in answer.json
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "name",
    [
        "evil.example",
        "evil.example:8750",
        "127.0.0.1.evil.example",
        "",
        "[::1]evil",
        "[::1]:evil",
        "[::1",
        "localhost:evil",
        "localhost:",
    ],
)
def test_a_foreign_host_name_is_refused(server, name):
    answer = server.get("/", Host=name)
    assert answer.status == 400 and answer.json == {"error": "unknown host name"}


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:9"])
def test_its_own_names_are_known(server, name):
    assert server.get("/healthz", Host=name).status == 200


def test_a_read_only_server_takes_nothing(server, fleet):
    body = json.dumps(record(1)).encode()
    for headers in ({}, AUTHORIZED):
        answer = server.post(RECORDS, body, **headers)
        assert answer.status == 403 and "read-only" in answer.json["error"]
    for method in ("PUT", "DELETE", "POST"):
        assert server.send(method, "/", b"x", {}).status == 405
    with open_database(str(fleet[1]), write=False) as engine:
        assert crash_count(engine) == len(fleet[0].crashes)


@pytest.mark.parametrize(
    "headers",
    [{}, {"Authorization": "Bearer wrong-token-of-24-chars"}, {"Authorization": f"Basic {TOKEN}"},
     {"Authorization": "Bearer"}, {"Authorization": f"Bearer {TOKEN[:-1]}"},
     {"Authorization": "Bearer t\xf6ken"}],
)  # fmt: skip
def test_without_the_token_nothing_is_taken(taker, headers):
    answer = taker[0].post(RECORDS, json.dumps(record(2)).encode(), **headers)
    assert answer.status == 401 and answer.headers["www-authenticate"] == "Bearer"
    assert taker[0].get(f"/api/v1/cores/{2:032x}").status == 404


def test_with_the_token_records_are_stored_once_and_shown(taker):
    server, path = taker
    assert "takes records" in server.announced
    assert "no crashes yet" in server.get("/").text
    lines = [record(10 + i, host={"hostname": f"node-{i}"}) for i in range(3)]
    body = b"\n".join(json.dumps(line).encode() for line in lines)
    first = server.post(RECORDS, body, **AUTHORIZED)
    assert first.status == 200 and (first.json["added"], first.json["rejects"]) == (3, 0)
    again = server.post(RECORDS, iter([body[:50], body[50:]]), **AUTHORIZED)
    assert again.status == 200 and (again.json["added"], again.json["known"]) == (0, 3)
    half = server.post(RECORDS, b'{"schema": "gdb-epi/rec', **AUTHORIZED)
    assert half.status == 422 and half.json["rejects"] == 1 and "not JSON" in half.text
    page = server.get("/")
    assert "3 crashes" in Page(page.text).text, "the page is made anew after an ingest"
    evil = {"hostname": "<script>alert(1)</script>"}
    odd = {"findings": 7, "verdict": [], "threads": {"crashed": "x"}, "waits": {"a": 1}}
    hostile = record(20, host=evil, signature=None, process="<b>", **odd)
    assert server.post(RECORDS, json.dumps(hostile).encode(), **AUTHORIZED).status == 200
    shown = server.get(f"/core/{20:032x}")
    assert shown.status == 200 and "<script>alert(1)</script>" in Page(shown.text).text
    with open_database(str(path), write=False) as engine:
        assert crash_count(engine) == 4


@pytest.mark.parametrize(
    ("number", "text", "value"),
    [(30, '"\\ud800x"', "\ud800x"), (31, "NaN", None), (32, "1e999", None), (33, '"é"', "é")],
)
def test_what_json_has_not_is_answered_as_json(taker, number, text, value):
    body = json.dumps(record(number, process={"comm": "@"})).replace('"@"', text).encode()
    assert taker[0].post(RECORDS, body, **AUTHORIZED).status == 200
    answer = taker[0].get(f"/api/v1/cores/{number:032x}")
    assert answer.status == 200 and answer.body.isascii()
    assert json.loads(answer.body, parse_constant=pytest.fail)["process"]["comm"] == value


def test_with_the_token_states_are_changed_and_everybody_sees_them(taker):
    server = taker[0]
    marks, states = "/api/v1/marks", "/api/v1/states"
    host = {"hostname": "node-77", "attributes": {"version": "2.4"}}
    signature = {"version": "gsig/2", "keys": {"stable": "7" * 16}}
    body = json.dumps(record(77, host=host, signature=signature)).encode()
    assert server.post(RECORDS, body, **AUTHORIZED).status == 200
    comment = {
        "about": "signature",
        "name": "7" * 16,
        "fixed_in": "2.3",
        "owner": "ann",
        "who": "ann",
    }

    def post(given, **headers):
        sent = given if isinstance(given, bytes) else json.dumps(given).encode()
        return server.post(marks, sent, **{"Content-Type": "application/json", **headers})

    assert post(comment).status == 401 and server.get(states).json == []
    for origin in ("http://evil.example", "null", "http://localhost.evil.example"):
        assert post(comment, Origin=origin, **AUTHORIZED).status == 403
    assert server.post(marks, b"about=host", **AUTHORIZED).status == 415
    held = post(comment, Origin="http://localhost:8750", **AUTHORIZED)
    assert held.status == 200 and "this" not in held.json["lines"][1]
    assert "fixed in 2.3, but 1 crash on 2.4: regressed; marked by " in held.json["lines"][1]
    assert held.json["lines"][1].endswith("; owner ann")
    assert (
        post({"about": "host", "name": "node-77", "state": "drained"}, **AUTHORIZED).status == 200
    )
    shown = server.get(states).json
    assert [(s["about"], s["state"]) for s in shown] == [
        ("signature", "regressed"), ("host", "drained"),
    ]  # fmt: skip
    assert shown[0]["history"][0]["who"] == "ann"
    assert "7" * 16 in Page(server.get("/").text).text
    metrics = server.get("/metrics").text
    assert 'gdb_epi_regressed_crashes{fixed_in="2.3",signature="7777777777777777"} 1.0' in metrics
    for given, status in (
        (b"[]", 422), (b"{", 422), ({"about": "host"}, 422), ({**comment, "x": "y"}, 422),
        ({**comment, "name": "nothing-like-it"}, 404), ({**comment, "owner": 7}, 422),
        ({**comment, "state": "drained"}, 422), (b" " * 70_000, 413),
    ):  # fmt: skip
        assert post(given, **AUTHORIZED).status == status, given
    assert len(server.get(states).json) == 2


def test_a_body_that_is_too_large_is_refused(taker):
    server = taker[0]
    response = server.post(RECORDS, b"{}", Content_Length="99999999999", **AUTHORIZED)
    assert response.status == 413
    part = b" " * (1 << 20)
    unknown = server.post(RECORDS, (part for _ in range(40)), **AUTHORIZED)
    assert unknown.status == 413, "in chunks, without a length"
    assert server.get("/healthz").status == 200


def test_slow_clients_starve_nobody(server):
    """Each of 200 clients has sent half of a head: others are answered."""
    clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
    try:
        for client in clients:
            client.sendall(b"GET / HTTP/1.1\r\nHost: loc")
        assert server.get("/healthz").status == 200
    finally:
        for client in clients:
            client.close()


def test_a_head_that_is_too_large_is_refused(server):
    assert server.get("/healthz", X=30_000 * "x").status == 200
    assert server.get("/healthz", X=60_000 * "x").status == 400
    assert server.get("/healthz", **{f"X{i}": 1000 * "x" for i in range(60)}).status == 400


def test_a_client_that_leaves_is_no_traceback(tmp_path):
    db = tmp_path / "f.sqlite3"
    with serving(db, env={"GDB_EPI_TOKEN": TOKEN}) as running:
        head = f"POST {RECORDS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
        for body in ("Content-Length: 99\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{"):
            with socket.create_connection(("127.0.0.1", running.port)) as client:
                client.sendall((head + body).encode())
        assert running.get("/healthz").status == 200
    assert running.errors == [""]


def test_the_token_is_never_weak_and_addresses_that_are_taken_are_said(fleet, shell):
    db = ("--db", fleet[1], "--port", "0")
    short = shell("serve", *db, env={"GDB_EPI_TOKEN": "short"})
    assert short.code == 2 and "16 ASCII characters" in short.err
    none = shell("serve", *db, "--token-file", "/nowhere")
    assert none.code == 3 and "no token in /nowhere" in none.err
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = shell("serve", "--db", fleet[1], "--port", taken.getsockname()[1])
    assert done.code == 3 and "cannot listen on 127.0.0.1" in done.err


def test_what_is_missing_is_said(fleet, shell, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['starlette'] = None\n")
    paths = f"{tmp_path}:{shell.env['PYTHONPATH']}"
    done = shell("serve", "--db", fleet[1], env={"PYTHONPATH": paths})
    assert done.code == 1 and "starlette is not installed here" in done.err
    assert install_command("serve") in done.err


DECISIONS = "/decisions"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def test_a_form_changes_states_for_who_has_the_token(tmp_path):
    db = tmp_path / "f.sqlite3"
    with serving(db, env={"GDB_EPI_TOKEN": TOKEN}) as server:
        host = {"hostname": "node-<b>5", "attributes": {"version": "2.4"}}
        signature = {"version": "gsig/2", "keys": {"stable": "5" * 16}}
        body = json.dumps(record(5, host=host, signature=signature)).encode()
        assert server.post(RECORDS, body, **AUTHORIZED).status == 200
        assert f'href="{DECISIONS}"' in server.get("/").text
        empty = server.get(f"{DECISIONS}?about=host&name=node-%3Cb%3E5")
        assert "Nothing was decided of it yet" in empty.text and empty.text.count("<form") == 1
        assert "node-&lt;b&gt;5" in empty.text
        assert "form-action 'self'" in empty.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in empty.headers["content-security-policy"]
        assert server.get(DECISIONS).text.count("<form") == 2

        def send(given, **headers):
            return server.post(DECISIONS, urlencode(given).encode(), **{**FORM, **headers})

        comment = {"about": "signature", "name": "5" * 6, "state": "fixed", "fixed_in": "2.3",
                "owner": "ann", "note": "", "who": "ann", "token": TOKEN}  # fmt: skip
        for wrong, status, words in (
            ({**comment, "token": ""}, 403, "the token is missing"),
            ({**comment, "token": f"{TOKEN}x"}, 403, "this is not the token"),
            ({**comment, "token": "t\u00f6ken"}, 403, "this is not the token"),
            ({**comment, "state": "new"}, 422, "new or fixed, not both"),
            ({**comment, "name": "nothing"}, 422, "Nothing was changed: "),
            ({**comment, "about": "finding"}, 422, "names a signature or a host"),
            ({**comment, "evil": "1"}, 422, "not known: evil"),
        ):
            answer = send(wrong)
            assert answer.status == status and words in Page(answer.text, forms=True).text, wrong
            assert TOKEN not in answer.text, "what was typed stands there again, but no token"
            assert ('value="ann"' in answer.text) == (wrong["about"] == "signature")
        for origin in ("http://evil.example", "null"):
            assert send(comment, Origin=origin).status == 403
        assert server.post(DECISIONS, b"{}", Content_Type="application/json").status == 415
        assert server.get("/api/v1/states").json == []

        taken = send(comment, Origin="http://localhost:8750")
        assert taken.status == 303
        assert taken.headers["location"] == f"{DECISIONS}?about=signature&name={'5' * 16}"
        shown = Page(server.get(taken.headers["location"]).text, forms=True).text
        assert "regressed" in shown and "ann: fixed version 2.3" in shown
        drained = {"about": "host", "name": "node-<b>5", "state": "drained", "token": TOKEN}
        assert send(drained).status == 303
        states = server.get("/api/v1/states").json
        assert [(s["state"], s["who"]) for s in states] == [
            ("regressed", "ann"), ("drained", "somebody with the server's token"),
        ]  # fmt: skip
    assert server.errors == [""]


@pytest.mark.heavy
def test_a_read_only_server_shows_decisions_without_forms(server):
    page = server.get(DECISIONS)
    assert page.status == 200 and "<form" not in page.text
    assert "gdb-epi fleet mark" in Page(page.text).text
    answer = server.post(DECISIONS, urlencode({"about": "host", "token": TOKEN}).encode(), **FORM)
    assert answer.status == 403 and "read-only" in answer.text
