# SPDX-License-Identifier: Apache-2.0
"""SARIF 2.1.0: a rule for each verdict with its category, a result for each signature and place.

Reference: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0"; the sections
are named where they decide. Deaths with one rule, one signature and one place are one result with
their number (3.27.11 occurrenceCount).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from gdb_epi import __version__
from gdb_epi.record.record_parts import explaining_stack, get_groups
from gdb_epi.render.category_words import category_words
from gdb_epi.render.ci.deaths import (
    NO_CORE,
    Death,
    SourceLine,
    innermost_source_line_in,
    own_source_lines,
    path_relative_to_folder,
    source_line_of_call,
)
from gdb_epi.render.escape import escape
from gdb_epi.render.frame_lines import PYTHON, REMARK, StackCall, calls_of_record
from gdb_epi.typing_lite import Any

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
MAX_FRAMES = 60  # of the stack of one result
_ROOT = "%SRCROOT%"  # by convention the root of the checkout (3.14.14)
_HEALTHY = ("no-fault",)  # verdicts that are no errors
# Keys of the signature that tell crashes apart; the narrower ones vary between builds.
_FINGERPRINTS = ("stable", "python", "native", "coarse")

Json = dict[str, Any]


def sarif_log(deaths: Sequence[Death], root: str, problems: Sequence[str] = ()) -> Json:
    """Return the log as JSON values; files below `root` are given relative to it.

    `problems` are inputs that gave no record: notifications of the run (3.20.21).
    """
    rules: dict[str, Json] = {}
    results: dict[tuple[str, str, str], Json] = {}
    for death in deaths:
        rule = _sarif_rule(death)
        rules.setdefault(rule["id"], rule)
        number = list(rules).index(rule["id"])
        place = (
            innermost_source_line_in(death.record, root)
            or death.place
            or next(own_source_lines(death.record), None)
        )
        location = None if place is None else _physical_location(place)
        key = (rule["id"], death.signature or death.subject, str(location))
        if key in results:
            results[key]["occurrenceCount"] += death.times
        else:
            results[key] = _sarif_result(death, rule["id"], number, location, root)
    notes = [{"level": "error", "message": {"text": escape(text)}} for text in problems]
    driver = {"name": "gdb-epi", "version": __version__, "rules": list(rules.values())}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not notes, "toolExecutionNotifications": notes}],
        "columnKind": "unicodeCodePoints",
        "results": list(results.values()),
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _sarif_rule(death: Death) -> Json:
    verdict, category = death.verdict, death.category
    if category == NO_CORE:
        words = "a process died, and no core of it was found"
    else:
        words = f"{verdict}: {category_words(category)}"
    return {
        "id": f"{verdict}/{category}",
        "shortDescription": {"text": words},
        "defaultConfiguration": {"level": _sarif_level(verdict)},
        "properties": {"tags": ["crash", verdict, category]},
    }


def _sarif_level(verdict: str) -> str:
    return "note" if verdict in _HEALTHY else "error"


def _sarif_result(death: Death, rule: str, number: int, location: Json | None, root: str) -> Json:
    result: Json = {
        "ruleId": rule,
        "ruleIndex": number,
        "level": _sarif_level(death.verdict),
        "message": {"text": escape(f"{death.subject}: {death.sentence}")},
        "occurrenceCount": death.times,
    }
    if location is not None:
        result["locations"] = [location]
    keys = death.keys
    prints = {f"gsig/2/{name}": keys[name] for name in _FINGERPRINTS if name in keys}
    if prints:
        result["partialFingerprints"] = prints
    frames = list(_sarif_stack_frames(death.record, root))
    if frames:
        result["stacks"] = [{"message": {"text": "the thread that tells"}, "frames": frames}]
    if death.signature:
        result["properties"] = {"signature": escape(death.signature)}
    return result


def _physical_location(place: SourceLine) -> Json:
    # Relative references are resolved against the checkout, absolute ones are URIs of files.
    path = quote(place.path, errors="backslashreplace")  # a lone surrogate is not UTF-8
    artifact: Json = {"uri": path, "uriBaseId": _ROOT}
    if os.path.isabs(place.path):
        artifact = {"uri": f"file://{path}"}
    region = {"startLine": place.line}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _sarif_stack_frames(record: Mapping[str, Any], root: str) -> Iterator[Json]:
    stack = explaining_stack(record)
    for call in calls_of_record(get_groups(stack, "frames"))[:MAX_FRAMES]:
        if call.language != REMARK:
            yield _sarif_stack_frame(call, root)


def _sarif_stack_frame(call: StackCall, root: str) -> Json:
    name = escape(call.name or call.place() or "?")
    location: Json = {"message": {"text": name}, "logicalLocations": [{"fullyQualifiedName": name}]}
    place = source_line_of_call(call)
    if place is not None:
        location |= _physical_location(
            SourceLine(path_relative_to_folder(place.path, root) or place.path, place.line)
        )
    frame: Json = {"location": location}
    return frame if call.language == PYTHON else {**frame, "module": escape(call.module or "?")}
