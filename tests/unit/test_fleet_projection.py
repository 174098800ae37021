# SPDX-License-Identifier: Apache-2.0
"""From records to rows: minimal, full, merged and hostile ones."""

from __future__ import annotations

import json
from datetime import timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.fleet_records import full, minimal

from gdb_epi.errors import InputError
from gdb_epi.fleet.records import projection as remembered
from gdb_epi.fleet.records.crash_times import NO_ZONE
from gdb_epi.fleet.records.prepare import storable_record
from gdb_epi.fleet.records.projection import Projector, RecordRows, merge_records, project_record
from gdb_epi.fleet.records.values import (
    claimed_time,
    int32_or_none,
    number_or_none,
    text_or_none,
    with_time_zone,
)


def test_a_minimal_record() -> None:
    rows = project_record(minimal(3))
    assert rows.core_key == f"{3:032x}"
    assert rows.sig == ("gsig/2", "stable", f"{3:016x}", "")
    assert rows.sig_values["category"] == "segv-null"
    assert rows.host == ("node-3", "")
    assert rows.attributes == {"rack": "r1"}
    assert rows.crash_columns["ts"] == 1_764_000_003.0
    assert rows.crash_columns["cpu_no"] == 3
    assert rows.crash_columns["bitflip"] is False
    assert rows.libset is None and rows.trace is None


def test_a_full_record() -> None:
    rows = project_record(full(1))
    assert rows.crash_columns["signo"] == 11
    assert rows.crash_columns["verdict"] == "software"
    assert rows.crash_columns["truncated"] is False
    assert rows.crash_columns["quality"] == 2.0
    assert rows.libs == (("libc.so.6", "ab", ""), ("libm", "", ""))
    assert rows.libset is not None


def test_a_record_without_native_frames_is_grouped_by_its_python_key() -> None:
    signature = {
        "version": "gsig/2",
        "category": "segv-null",
        "keys": {"python": "ab"},
        "text": {"python": "gsig/2 python segv-null py:f"},
        "group": {"key": "python", "value": "ab"},
    }
    rows = project_record(minimal(1, signature=signature))
    assert rows.sig == ("gsig/2", "python", "ab", "")
    assert rows.sig_values["text"] == "gsig/2 python segv-null py:f"


def test_the_libset_does_not_depend_on_the_order() -> None:
    libs = [{"soname": "a", "build_id": "1"}, {"soname": "b", "build_id": "2"}]
    first, other = (project_record(full(1, libs={"modules": x})) for x in (libs, libs[::-1]))
    assert first.libset == other.libset


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"schema": "gdb-epi/record/1"},
        {"schema": "other/1", "core_key": "ab"},
        {"schema": "gdb-epi/record/1", "core_key": ""},
        {"schema": "gdb-epi/record/1", "core_key": "x" * 1000},
        {"schema": "gdb-epi/record/1", "core_key": "a'; DROP TABLE crash; --"},
        {"schema": "gdb-epi/record/1", "core_key": 7},
        {"schema": ["gdb-epi/record/1"], "core_key": "ab"},
    ],
)
def test_what_is_no_record_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        project_record(record)


@pytest.mark.parametrize(
    ("given_ts", "seconds"),
    [
        (1764000000, 1764000000.0),
        ("2025-11-24T16:00:00Z", 1764000000.0),
        ("2025-11-24T16:00:00+00:00", 1764000000.0),
        ("2025-11-24T17:00:00+01:00", 1764000000.0),
        ("2025-11-24T16:00:00", 1764000000.0),
        ("20251124T160000Z", 1764000000.0),
        ("2025-11-24 11:00:00.50-0500", 1764000000.5),
        ("2025-11-24 16:00:00 UTC", 1764000000.0),
        (" 1764000000 ", 1764000000.0),
        (1764000000_000, 1764000000.0),
        ("1764000000000000", 1764000000.0),
        (1764000000_000_000_000, 1764000000.0),
        ("2025-13-24T16:00:00Z", None),
        ("2025-11-24T16:00:00+25", 1764000000.0 - 25 * 3600),
        ("yesterday", None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
        (True, None),
        (None, None),
        ([1], None),
    ],
)
def test_timestamps(given_ts: Any, seconds: float | None) -> None:
    assert claimed_time(given_ts).seconds == seconds


@pytest.mark.parametrize("written", ["2025-11-24T16:00:00", "2025-11-24", "20251124 160000"])
def test_a_time_without_a_zone_is_of_no_known_time(written: str) -> None:
    crash = project_record(
        minimal(1, time={"crash_ts": written, "ts_source": "journal"}), 1.77e9
    ).crash_columns
    assert (crash["ts"], crash["ts_source"]) == (None, NO_ZONE) and crash["ts_claimed"] > 1.7e9


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("2025-11-24T17:00:00", "2025-11-24T17:00:00+01:00"),
        ("2025-11-24T17:00:00Z", "2025-11-24T17:00:00Z"),
        ("2025-11-24", "2025-11-24"),
        ("yesterday", "yesterday"),
        (1764000000, 1764000000),
    ],
)
def test_a_zone_is_given_to_times_of_the_day_that_lack_one(written: Any, becomes: Any) -> None:
    given = with_time_zone(minimal(1, time={"crash_ts": written}), timezone(timedelta(hours=1)))
    assert given["time"]["crash_ts"] == becomes


def test_values_that_databases_refuse_are_absent_or_escaped() -> None:
    assert (
        int32_or_none(1 << 40) is None and int32_or_none(True) is None and int32_or_none(-1) == -1
    )
    assert number_or_none(10**400) is None
    assert text_or_none("a\0b\ud800") == "a\\x00b\\ud800"
    assert len(text_or_none("x" * 100_000) or "") == 4096


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
GROUPS = st.sampled_from(sorted(full(1)))


@given(st.dictionaries(GROUPS, JSON), st.sampled_from(["attributes", "text", "keys", "modules"]))
@pytest.mark.heavy
def test_groups_of_the_wrong_kind_never_raise_anything_else(damage: Any, inner: str) -> None:
    record = {**full(1), **damage}
    record["host"] = {"attributes": damage.get("host")}
    record["signature"] = {inner: damage.get("signature")}
    try:
        rows = project_record(storable_record(record))
    except InputError:
        return
    assert isinstance(rows, RecordRows)
    json.dumps(rows.crash_columns)


def test_merge_keeps_the_better_analysis_and_what_only_the_other_knows() -> None:
    collected = minimal(1, time={"crash_ts": 5.0, "ts_source": "journal"}, job={"id": 7})
    analysed = full(1, time={"crash_ts": 9.0, "ts_source": "mtime"}, host={})
    for old, new in ((collected, analysed), (analysed, collected)):
        merged = merge_records(old, new)
        assert merged["verdict"]["label"] == "software"
        assert merged["time"] == {"crash_ts": 5.0, "ts_source": "journal"}
        assert merged["host"]["hostname"] == "node-1"
        assert merged["job"] == {"id": 7}


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        (minimal(1), full(1, quality=0.0)),
        (full(1, quality=0.2), full(1, quality=0.9)),
        (full(1, quality=0.2, version="9.0.0"), full(1, quality=0.9)),
        (full(1, version="0.9.0"), full(1, version="0.10.0")),
    ],
)
def test_quality_goes_before_the_version_of_the_tool(worse: Any, better: Any) -> None:
    better = {**better, "mark": "better"}
    worse = {**worse, "mark": "worse"}
    assert merge_records(worse, better)["mark"] == "better"
    assert merge_records(better, worse)["mark"] == "better"


def test_locals_and_exception_messages_are_dropped_at_any_depth() -> None:
    record = full(
        1,
        threads={
            "stacks": [
                {
                    "frames": [
                        {
                            "name": "f",
                            "locals": {"password": "hunter2"},
                            "variables": [{"name": "password", "text": "hunter2"}],
                        }
                    ]
                }
            ]
        },
        exception={
            "type": "ValueError",
            "message": "hunter2",
            "args": ["hunter2"],
            "notes": ["hunter2"],
            "cause": [{"type": "KeyError", "message": "hunter2"}],
        },
        locals={"x": "hunter2"},
        soft_errors=[{"stage": "s", "subject": "t", "message": "kept"}],
    )
    kept = storable_record(record)
    assert "hunter2" not in json.dumps(kept)
    assert kept["exception"]["type"] == "ValueError"
    assert kept["threads"]["stacks"][0]["frames"] == [{"name": "f"}]
    assert kept["soft_errors"][0]["message"] == "kept"
    assert "hunter2" in json.dumps(record)  # the caller's record is not touched


def test_a_deep_record_does_not_overflow_the_stack() -> None:
    deep: Any = {}
    for _ in range(5000):
        deep = {"a": deep}
    storable_record(minimal(1, extra=deep))


def test_the_columns_of_a_crash_are_those_of_its_table():
    from gdb_epi.fleet.store.dimensions import COLUMNS
    from gdb_epi.fleet.store.tables import crash

    assert sorted(COLUMNS) == sorted(column.name for column in crash.columns if column.name != "id")


def test_what_is_remembered_of_a_hostile_feed_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record may bring a megabyte of attributes, other ones each: 50,000 are 50 GB."""
    monkeypatch.setattr(remembered, "MAX_BYTES", 100_000)
    projector = Projector()
    held = []
    for i in range(60):
        wide = {f"{i}-{n}": "x" * 1_000 for n in range(10)}
        line = {"stable": f"gsig/2 stable {i} {'y' * 9_000}", "strict": "z" * 900}
        signature = {"version": "gsig/2", "keys": {"stable": str(i)}, "text": line}
        libs = [{"soname": f"{i}-{n}", "build_id": "b" * 990} for n in range(10)]
        given = minimal(
            i,
            host={"hostname": "h", "attributes": wide},
            libs=libs,
            facts=wide,
            signature=signature,
        )
        assert projector.project(given) == project_record(given)
        for kept in [v for v in vars(projector).values() if v is not None]:
            held.append(len(kept))
            assert sum(len(repr(key)) for key in kept) < 100_000 + 12_000
    assert max(held) > 5  # remembered all the same


def test_ids_are_forgotten_by_size_too(monkeypatch: pytest.MonkeyPatch) -> None:
    cache: remembered.BoundedCache[int] = remembered.BoundedCache(3)
    for i in range(3):
        assert not cache.is_full
        cache.keep(("n", str(i)), i)
    assert cache.is_full and cache[("n", "2")] == 2
    cache.forget()
    assert not cache and not cache.is_full
    cache.keep(("x" * 90_000,), 1)
    monkeypatch.setattr(remembered, "MAX_BYTES", 90_000)
    assert cache.is_full


@pytest.mark.parametrize(
    ("host", "container", "name"),
    [
        ({"hostname": "api-7f"}, {"pod": "api-7f", "node": "n7"}, "n7"),
        ({"hostname": "api-7f", "hostname_source": "core_pattern"}, {"node": "n7"}, "n7"),
        ({}, {"node": "n7"}, "n7"),
        ({"hostname": "n7.example"}, {"pod": "api-7f", "node": "n7"}, "n7.example"),
        ({"hostname": "api-7f"}, {"pod": "api-7f"}, "api-7f"),
    ],
)
def test_a_crash_in_a_pod_is_of_its_node(
    host: dict[str, str], container: dict[str, str], name: str
) -> None:
    of_host = project_record(minimal(1, host=host, container=container)).host
    assert of_host is not None and of_host[0] == name
