# SPDX-License-Identifier: Apache-2.0
"""What SARIF 2.1.0 demands of the objects that we write: their required and permitted properties.

By hand, from the standard (sarif-schema-2.1.0.json has `additionalProperties: false` throughout).
"""

from __future__ import annotations

from typing import Any

from jsonschema import Draft7Validator


def _object(required: str = "", **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


TEXT = {"type": "string"}
BAG = {"type": "object"}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = _object("text", text=TEXT)
URI = _object(
    "uri", uri={"type": "string", "pattern": r"^[A-Za-z0-9_.~:/%+()\-]+$"}, uriBaseId=TEXT
)
REGION = _object("startLine", startLine={"type": "integer", "minimum": 1})
LOCATION = _object(
    message=MESSAGE,
    logicalLocations=_list(_object(fullyQualifiedName=TEXT)),
    physicalLocation=_object("artifactLocation", artifactLocation=URI, region=REGION),
)
FRAME = _object("location", location=LOCATION, module=TEXT)
RULE = _object(
    "id",
    id=TEXT,
    shortDescription=MESSAGE,
    defaultConfiguration=_object(level=LEVEL),
    properties=BAG,
)
RESULT = _object(
    "message ruleId",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=MESSAGE,
    occurrenceCount={"type": "integer", "minimum": 1},
    locations=_list(LOCATION),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    stacks=_list(_object("frames", message=MESSAGE, frames=_list(FRAME))),
    properties=BAG,
)
DRIVER = _object("name", name=TEXT, version=TEXT, rules=_list(RULE))
INVOCATION = _object(
    "executionSuccessful",
    executionSuccessful={"type": "boolean"},
    toolExecutionNotifications=_list(_object("message", level=LEVEL, message=MESSAGE)),
)
RUN = _object(
    "tool",
    tool=_object("driver", driver=DRIVER),
    invocations=_list(INVOCATION),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results=_list(RESULT),
)
LOG = _object("version runs", **{"$schema": TEXT}, version={"const": "2.1.0"}, runs=_list(RUN))


def results_of(log: dict[str, Any]) -> list[dict[str, Any]]:
    """Hold a log against the standard and return its results; their rules are those named."""
    Draft7Validator(LOG).validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    return list(run["results"])
