# SPDX-License-Identifier: Apache-2.0
"""The record's schema: its document, its validator, and records of other versions."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from support.schema import documented, leaves, problems, schema, unstable

from gdb_epi.errors import InputError
from gdb_epi.fleet.records.projection import Projector
from gdb_epi.record.schema.versions import check_schema

GOLDEN = sorted((Path(__file__).resolve().parents[1] / "golden").glob("*.json"))
# Keywords that support.schema.problems() understands; another one would be passed over in silence.
UNDERSTOOD = {
    "$ref", "anyOf", "type", "enum", "const", "pattern", "minimum", "maximum", "required", "not",
    "items", "maxItems", "properties", "additionalProperties",
}  # fmt: skip
TEXTS = {"$schema", "$id", "$comment", "$defs", "title", "description"}


def golden(number: int = 0) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(GOLDEN[number].read_text())
    return answer


def test_each_field_has_a_row_in_the_document_and_each_row_a_field() -> None:
    fields, rows = [path for path, _ in leaves()], documented()
    assert len(rows) == len(set(rows)) and len(fields) == len(set(fields))
    assert sorted(set(fields) - set(rows)) == [], "no row in SCHEMA.md"
    assert sorted(set(rows) - set(fields)) == [], "not in record-1.json"
    assert len(fields) > 250


def test_unstable_fields_are_the_same_in_both() -> None:
    stated, marked = unstable()
    assert stated == marked
    assert "facts.rsp_mod_16" in stated and "core_key" not in stated


def keywords(node: Any) -> set[str]:
    if not isinstance(node, dict):
        return set()
    keys = set(node)
    for name in ("properties", "$defs"):
        for inner in node.get(name, {}).values():
            keys |= keywords(inner)
    for inner in (node.get("items"), node.get("additionalProperties"), *node.get("anyOf", ())):
        keys |= keywords(inner)
    return keys


def test_the_validator_understands_every_keyword() -> None:
    assert keywords(schema()) <= UNDERSTOOD | TEXTS


WRONG: tuple[tuple[tuple[str, ...], Any], ...] = (
    (("core_key",), "xyz"),
    (("core_key",), 7),
    (("schema",), "gdb-epi/record/2"),
    (("verdict", "confidence"), 1.0),
    (("signal", "fault_address"), "0x8"),
    (("signal", "signo"), "11"),
    (("signal", "signo"), True),
    (("facts", "rsp_mod_16"), 16),
    (("facts", "access"), "read"),
    (("signature", "keys", "coarse"), "short"),
    (("cpu",), {"source": "rseq"}),
    (("job", "environment", "RANK"), 3),
    (("threads", "tids"), ["1"]),
    (("corruption", "candidates"), [{}] * 1000),
    (("host",), {"attributes": {"rack": []}}),
    (("exception",), []),
)


@pytest.mark.parametrize(("path", "value"), WRONG, ids=[".".join(path) for path, _ in WRONG])
def test_it_refuses_what_jsonschema_refuses(path: tuple[str, ...], value: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema (extra `dev`) is missing")
    validator = jsonschema.Draft202012Validator(schema())
    record = golden()
    assert problems(record) == [] and validator.is_valid(record)
    inner = record
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = value
    assert not validator.is_valid(record)
    assert problems(record)


def test_locals_never_fit() -> None:
    record = golden()
    frames = record["threads"]["crashed"]["frames"]
    frames.append({"language": "python", "name": "f", "locals": {"password": "x"}})
    assert any("locals" in problem for problem in problems(record))


def test_a_key_without_a_place_is_told() -> None:
    record = golden()
    record["verdict"]["mood"] = "bad"
    assert problems(record) == ["verdict.mood: not in the schema"]


@pytest.mark.parametrize("path", GOLDEN, ids=[path.stem for path in GOLDEN])
def test_jsonschema_agrees_that_records_are_valid(path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema (extra `dev`) is missing")
    jsonschema.Draft202012Validator.check_schema(schema())
    record = json.loads(path.read_text())
    assert list(jsonschema.Draft202012Validator(schema()).iter_errors(record)) == []
    assert problems(record) == []


# -- other versions --------------------------------------------------------------------------


def test_a_newer_record_of_this_number_is_read_and_kept() -> None:
    """Unknown keys and words are passed over by what reads them."""
    record = golden()
    record["weather"] = {"temperature": 21}
    record["signal"]["mood"] = "new"
    record["verdict"]["label"] = "a-label-of-tomorrow"
    record["schema"] = "gdb-epi/record/1.7"
    before = copy.deepcopy(record)
    rows = Projector().project(record)
    assert rows.core_key == record["core_key"]
    assert rows.crash_columns["verdict"] == "a-label-of-tomorrow"
    assert record == before  # what is stored whole still has the unknown keys


def test_an_older_record_is_read_and_what_it_lacks_is_absent() -> None:
    whole = golden()
    kept = ("schema", "tool", "core_key", "signal", "signature", "verdict")
    rows = Projector().project({name: whole[name] for name in kept})
    assert rows.crash_columns["signo"] == whole["signal"]["signo"]
    assert rows.crash_columns["cpu_no"] is None and rows.crash_columns["kernel"] is None
    assert rows.host is None
    assert rows.sig == Projector().project(whole).sig


@pytest.mark.parametrize("schema", ["gdb-epi/record/2", "gdb-epi/record/10.1"])
def test_a_higher_number_is_refused_with_what_to_do(schema: str) -> None:
    record = {**golden(), "schema": schema, "tool": "gdb-epi 9.0"}
    with pytest.raises(InputError) as caught:
        Projector().project(record)
    one_line_text = caught.value.one_line_text()
    assert (
        "reads up to gdb-epi/record/1" in one_line_text
        and "gdb-epi 9.0" in one_line_text
        and "try: a newer" in one_line_text
    )


@pytest.mark.parametrize(
    "schema", [None, 1, "", "gdb-epi/record/", "gdb-epi/record/x", "gdb-epi/record/0", "other/1",
               "gdb-epi/record/" + "9" * 5000],
)  # fmt: skip
def test_what_is_no_record_is_said(schema: object) -> None:
    with pytest.raises(InputError, match="no record"):
        check_schema({"schema": schema, "core_key": "0" * 32})
